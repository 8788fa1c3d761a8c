/*
 * The public kernels in C, for WebAssembly and for eBPF; tests/java/kernels/Kernels.java says what each does.
 *
 * WebAssembly: `int name(int a, int b)` is exported, state is static memory.
 * eBPF: each kernel is a section `.text.name` of its own; the one argument is the state, which holds a and b.
 */
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned int u32;
typedef int s32;

struct state {
    s32 a, b;
    u32 table[256];
    s32 arr[256];
    u8 buf[1500];
    u8 pkt[64];
    u8 flags[8192];
};

#ifdef __bpf__
#define ENTRY(name)                                                                          \
    __attribute__((section(".text." #name), used)) int name(struct state *s) { return body_##name(s, s->a, s->b); }
#else
static struct state state;
#define ENTRY(name)                                                                          \
    __attribute__((export_name(#name))) int name(s32 a, s32 b) { return body_##name(&state, a, b); }
#endif

#define KERNEL(name)                                                                         \
    static inline __attribute__((always_inline)) s32 body_##name(struct state *s, s32 a, s32 b); \
    ENTRY(name)                                                                              \
    static inline s32 body_##name(struct state *s, s32 a, s32 b)

#define UNUSED(x) (void)(x)

KERNEL(init) {
    UNUSED(a);
    UNUSED(b);
    u32 x = 12345;
    for (s32 i = 0; i < 1500; i++) {
        x = x * 1103515245u + 12345u;
        s->buf[i] = (u8)(x >> 16);
    }
    for (u32 i = 0; i < 256; i++) {
        u32 c = i;
        for (s32 k = 0; k < 8; k++) {
            c = (c >> 1) ^ (0xEDB88320u & -(c & 1));
        }
        s->table[i] = c;
    }
    u8 *p = s->pkt;
    for (s32 i = 0; i < 64; i++) {
        p[i] = (u8)(i * 7 + 3);
    }
    p[12] = 8;
    p[13] = 0;
    p[14] = 0x45;
    p[22] = 64;
    p[23] = 17;
    p[24] = 0;
    p[25] = 0;
    u32 sum = 0;
    for (s32 i = 14; i < 34; i += 2) {
        sum += ((u32)p[i] << 8) | p[i + 1];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = ~sum;
    p[24] = (u8)(sum >> 8);
    p[25] = (u8)sum;
    return 0;
}

KERNEL(nullcall) {
    UNUSED(s);
    UNUSED(b);
    return a;
}

KERNEL(checksum) {
    u8 *d = s->buf;
    d[0] = (u8)a;
    u32 sum = 0;
    for (s32 i = 0; i < b; i += 2) {
        sum += ((u32)d[i] << 8) | d[i + 1];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (s32)(~sum & 0xffff);
}

KERNEL(crc32) {
    u8 *d = s->buf;
    d[0] = (u8)a;
    u32 c = 0xffffffffu;
    for (s32 i = 0; i < b; i++) {
        c ^= d[i];
        for (s32 k = 0; k < 8; k++) {
            c = (c >> 1) ^ (0xEDB88320u & -(c & 1));
        }
    }
    return (s32)~c;
}

KERNEL(crc32t) {
    u8 *d = s->buf;
    u32 *t = s->table;
    d[0] = (u8)a;
    u32 c = 0xffffffffu;
    for (s32 i = 0; i < b; i++) {
        c = (c >> 8) ^ t[(c ^ d[i]) & 0xff];
    }
    return (s32)~c;
}

KERNEL(sieve) {
    u8 *f = s->flags;
    for (s32 i = 0; i < b; i++) {
        f[i] = 1;
    }
    f[0] = (u8)a;
    s32 count = 0;
    for (s32 i = 2; i < b; i++) {
        if (f[i] != 0) {
            count++;
            for (s32 j = i + i; j < b; j += i) {
                f[j] = 0;
            }
        }
    }
    return count;
}

/* eBPF has no recursion to this depth. */
#ifndef __bpf__
static __attribute__((noinline)) s32 fibr(s32 n) {
    if (n < 2) {
        return n;
    }
    return fibr(n - 1) + fibr(n - 2);
}

KERNEL(fib) {
    UNUSED(s);
    UNUSED(a);
    return fibr(b);
}
#endif

KERNEL(fwd) {
    UNUSED(a);
    u8 *p = s->pkt;
    if (b < 34) {
        return 0;
    }
    if (p[12] != 8 || p[13] != 0) {
        return 0;
    }
    s32 vihl = p[14];
    if ((vihl >> 4) != 4) {
        return 0;
    }
    s32 ihl = (vihl & 15) << 2;
    if (ihl < 20 || ihl + 14 > b) {
        return 0;
    }
    u32 verdict = 0x10000;
    u32 ttl = p[22];
    u32 nttl = ttl - 1;
    if (ttl <= 1) {
        verdict = 0x20000;
        nttl = 64;
    }
    p[22] = (u8)nttl;
    u32 proto = p[23];
    u32 m = (ttl << 8) | proto;
    u32 n = (nttl << 8) | proto;
    u32 hc = ((u32)p[24] << 8) | p[25];
    u32 sum = (~hc & 0xffff) + (~m & 0xffff) + n;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    hc = ~sum & 0xffff;
    p[24] = (u8)(hc >> 8);
    p[25] = (u8)hc;
    for (s32 i = 0; i < 6; i++) {
        u8 t = p[i];
        p[i] = p[i + 6];
        p[i + 6] = t;
    }
    return (s32)(verdict | hc);
}

KERNEL(sort) {
    s32 *v = s->arr;
    u32 x = (u32)a;
    for (s32 i = 0; i < b; i++) {
        x = x * 1103515245u + 12345u;
        v[i] = (s32)(x >> 8);
    }
    for (s32 i = 1; i < b; i++) {
        s32 y = v[i];
        s32 j = i - 1;
        while (j >= 0 && v[j] > y) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = y;
    }
    u32 h = 0;
    for (s32 i = 0; i < b; i++) {
        h = h * 31 + (u32)v[i];
    }
    return (s32)h;
}
