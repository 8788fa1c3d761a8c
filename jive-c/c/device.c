/* Runs the filter on a Cortex-M4 in QEMU, without a C library. Semihosting is the console. */

#include "class_file.h"
#include "filter.h"

/* The first words of the flash: the initial stack pointer and the reset handler. */
extern uint32_t stack_top;
void reset(void);
__attribute__((used, section(".vectors"))) static const struct {
  const uint32_t *stack;
  void (*reset)(void);
} vectors = {&stack_top, reset};

/* Arm semihosting: operation and parameter in r0 and r1. */
static int semihost(int operation, const void *parameter) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = parameter;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

enum { SYS_WRITEC = 0x03, SYS_EXIT_EXTENDED = 0x20, STOPPED_APPLICATION_EXIT = 0x20026 };

static void put(char character) { semihost(SYS_WRITEC, &character); }

void say(const char *verdict, const uint8_t *packet, size_t length) {
  size_t column = 0;
  for (; verdict[column] != 0; column++) {
    put(verdict[column]);
  }
  for (; column < 9; column++) {
    put(' ');
  }
  for (size_t i = 0; i < length; i++) {
    put((char)packet[i]);
  }
  put('\n');
}

/* What compilers call where there is no C library, for C and for Rust (the names of ARM's run-time ABI). */
void *memcpy(void *to, const void *from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int value, size_t length);
int memcmp(const void *left, const void *right, size_t length);

void *memmove(void *to, const void *from, size_t length) {
  volatile uint8_t *target = to;
  const uint8_t *source = from;
  if (target > source) {
    while (length-- > 0) {
      target[length] = source[length];
    }
  } else {
    while (length-- > 0) {
      *target++ = *source++;
    }
  }
  return to;
}

void *memcpy(void *to, const void *from, size_t length) { return memmove(to, from, length); }

void *memset(void *to, int value, size_t length) {
  volatile uint8_t *target = to;
  while (length-- > 0) {
    *target++ = (uint8_t)value;
  }
  return to;
}

int memcmp(const void *left, const void *right, size_t length) {
  const volatile uint8_t *one = left, *other = right;
  for (; length > 0; length--, one++, other++) {
    if (*one != *other) {
      return *one - *other;
    }
  }
  return 0;
}

void __aeabi_memclr(void *to, size_t length);
void __aeabi_memclr4(void *to, size_t length);
void __aeabi_memclr8(void *to, size_t length);
void __aeabi_memcpy(void *to, const void *from, size_t length);
void __aeabi_memcpy4(void *to, const void *from, size_t length);
void __aeabi_memcpy8(void *to, const void *from, size_t length);
void __aeabi_memmove(void *to, const void *from, size_t length);
void __aeabi_memset(void *to, size_t length, int value);

void __aeabi_memclr(void *to, size_t length) { memset(to, 0, length); }
void __aeabi_memclr4(void *to, size_t length) { memset(to, 0, length); }
void __aeabi_memclr8(void *to, size_t length) { memset(to, 0, length); }
void __aeabi_memcpy(void *to, const void *from, size_t length) { memmove(to, from, length); }
void __aeabi_memcpy4(void *to, const void *from, size_t length) { memmove(to, from, length); }
void __aeabi_memcpy8(void *to, const void *from, size_t length) { memmove(to, from, length); }
void __aeabi_memmove(void *to, const void *from, size_t length) { memmove(to, from, length); }
void __aeabi_memset(void *to, size_t length, int value) { memset(to, value, length); }

/* The RAM of QEMU is zero at the start, and the program has no initialized data, so nothing is copied. */
void reset(void) {
  const int status = filter(class_file, sizeof class_file);
  const uint32_t ended[] = {STOPPED_APPLICATION_EXIT, (uint32_t)status};
  semihost(SYS_EXIT_EXTENDED, ended);
  for (;;) {
  }
}
