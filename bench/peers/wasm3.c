/*
 * wasm3 as a peer process: runs kernels of a WebAssembly module on command, one a line (bench/README.md has
 * the protocol), and answers with check values and with CPU time of its thread.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wasm3.h"

#define STACK_BYTES (64 * 1024)
#define MODULE_BYTES_MAX (1 << 20)
#define SWEEP 16

static void fail(const char *what, const char *why) {
    fprintf(stderr, "wasm3: %s: %s\n", what, why);
    exit(1);
}

static IM3Runtime load(const uint8_t *bytes, uint32_t length) {
    IM3Environment environment = m3_NewEnvironment();
    IM3Runtime runtime = m3_NewRuntime(environment, STACK_BYTES, NULL);
    IM3Module module;
    M3Result result = m3_ParseModule(environment, &module, bytes, length);
    if (result == m3Err_none) {
        result = m3_LoadModule(runtime, module);
    }
    if (result == m3Err_none) {
        result = m3_CompileModule(module);
    }
    if (result != m3Err_none) {
        fail("load", result);
    }
    return runtime;
}

static int32_t invoke(IM3Function function, int32_t a, int32_t b) {
    const void *arguments[] = {&a, &b};
    int32_t value = 0;
    const void *results[] = {&value};
    M3Result result = m3_Call(function, 2, arguments);
    if (result == m3Err_none) {
        result = m3_GetResults(function, 1, results);
    }
    if (result != m3Err_none) {
        fail("call", result);
    }
    return value;
}

static uint64_t thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv) {
    static uint8_t module[MODULE_BYTES_MAX];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        fail("usage", "wasm3 MODULE");
    }
    uint32_t length = (uint32_t)fread(module, 1, sizeof module, file);
    fclose(file);
    IM3Runtime runtime = load(module, length);

    IM3Function function = NULL;
    char line[128], name[64];
    int32_t b = 0;
    uint32_t sweeps;
    volatile int32_t sink;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "start %63s %" SCNd32, name, &b) == 2) {
            IM3Function init;
            if (m3_FindFunction(&init, runtime, "init") || m3_FindFunction(&function, runtime, name)) {
                fail("no such function", name);
            }
            invoke(init, 0, 0);
            uint32_t hash = 0;
            for (int32_t a = 0; a < 100; a++) {
                hash = hash * 31 + (uint32_t)invoke(function, a, b);
            }
            printf("%" PRId32 "\n", (int32_t)hash);
        } else if (sscanf(line, "time %" SCNu32, &sweeps) == 1 && function != NULL) {
            uint64_t start = thread_ns();
            for (uint32_t sweep = 0; sweep < sweeps; sweep++) {
                for (int32_t a = 0; a < SWEEP; a++) {
                    sink = invoke(function, a, b);
                }
            }
            printf("%" PRIu64 "\n", thread_ns() - start);
        } else {
            fail("not understood", line);
        }
        fflush(stdout);
    }
    (void)sink;
    return 0;
}
