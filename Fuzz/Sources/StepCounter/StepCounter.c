// The wrapped functions: each counts and goes on to the real one by a tail call, so that libFuzzer, which looks at the
// return address, still sees who compares. They take no branch: one would be reported, and so come back in here.

#include "StepCounter.h"
#include <stddef.h>

static uint64_t steps;

uint64_t steps_made(void) { return steps; }

#define COMPARISON(name, type)                                                                                         \
  void __real___sanitizer_cov_trace_##name(type, type);                                                                \
  __attribute__((no_sanitize("coverage", "address"))) void __wrap___sanitizer_cov_trace_##name(type a, type b) {       \
    steps += 1;                                                                                                        \
    __attribute__((musttail)) return __real___sanitizer_cov_trace_##name(a, b);                                        \
  }

COMPARISON(cmp1, uint8_t)
COMPARISON(cmp2, uint16_t)
COMPARISON(cmp4, uint32_t)
COMPARISON(cmp8, uint64_t)
COMPARISON(const_cmp1, uint8_t)
COMPARISON(const_cmp2, uint16_t)
COMPARISON(const_cmp4, uint32_t)
COMPARISON(const_cmp8, uint64_t)

#define BYTES(result, name, a_type, b_type)                                                                            \
  result __real_##name(a_type, b_type, size_t);                                                                        \
  __attribute__((no_sanitize("coverage", "address"))) result __wrap_##name(a_type a, b_type b, size_t count) {         \
    steps += 1 + count;                                                                                                \
    __attribute__((musttail)) return __real_##name(a, b, count);                                                       \
  }

BYTES(void *, memcpy, void *, const void *)
BYTES(void *, memmove, void *, const void *)
BYTES(void *, memset, void *, int)
BYTES(void *, memchr, const void *, int)
BYTES(int, memcmp, const void *, const void *)
BYTES(int, bcmp, const void *, const void *)
BYTES(void *, __asan_memcpy, void *, const void *)
BYTES(void *, __asan_memmove, void *, const void *)
BYTES(void *, __asan_memset, void *, int)
