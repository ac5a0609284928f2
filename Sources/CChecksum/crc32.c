// Long stretches by carry-less multiplication where the processor has it; zlib for the rest: its ends, and every other
// processor (on Apple's, zlib uses the CRC instructions itself). In C because Swift can't reach that instruction.
//
// How it works: bytes are a polynomial over two elements, and the CRC is its remainder by P, which doesn't change when
// a part of the polynomial gives way to anything of the same remainder. So 16 bytes that stand D bits before others
// are taken away and added to those, multiplied by x^D mod P. Four lines of 16 bytes walk on side by side, D = 512,
// then become one, D = 128. What is left are 16 bytes that zlib sums in place of all.
//
// Bits are reflected: a byte's lowest bit is the highest power. A line's halves are multiplied apart, the first by
// x^(D + 32) mod P and the second by x^(D - 32) mod P: remainders have 32 bits and lie in the upper half of 64. They are
// one bit to the left, since the product of two reflected numbers comes out one bit to the right.

#include "CChecksum.h"
#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>

/// From this length on the multiplications are faster.
enum { shortest = 128 };

#define CARRYLESS __attribute__((target("pclmul")))

/// `line` moved on by the distance of `powers`, and added to what stands there.
CARRYLESS static inline __m128i fold(__m128i line, __m128i powers, __m128i there) {
  const __m128i low = _mm_clmulepi64_si128(line, powers, 0x00);
  const __m128i high = _mm_clmulepi64_si128(line, powers, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

CARRYLESS static inline __m128i load(const uint8_t *bytes) {
  return _mm_loadu_si128((const __m128i *)bytes);
}

/// The sum of at least 64 bytes, a multiple of 16.
CARRYLESS static uint32_t multiplied(uint32_t crc, const uint8_t *bytes, size_t count) {
  const __m128i by512 = _mm_set_epi64x(0x1C6E41596, 0x154442BD4);
  const __m128i by128 = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
  // The bytes before these come in as the first 32 bits; a CRC begins and ends with all of them turned over.
  __m128i a = _mm_xor_si128(load(bytes), _mm_cvtsi32_si128((int)~crc));
  __m128i b = load(bytes + 16), c = load(bytes + 32), d = load(bytes + 48);
  const uint8_t *const end = bytes + count;
  for (bytes += 64; end - bytes >= 64; bytes += 64) {
    a = fold(a, by512, load(bytes));
    b = fold(b, by512, load(bytes + 16));
    c = fold(c, by512, load(bytes + 32));
    d = fold(d, by512, load(bytes + 48));
  }
  __m128i line = fold(fold(fold(a, by128, b), by128, c), by128, d);
  for (; bytes < end; bytes += 16) line = fold(line, by128, load(bytes));
  uint8_t rest[16];
  _mm_storeu_si128((__m128i *)rest, line);
  return (uint32_t)crc32_z(UINT32_MAX, rest, sizeof rest);
}

static size_t whole_lines(size_t count) {
  return count >= shortest && __builtin_cpu_supports("pclmul") ? count & ~(size_t)15 : 0;
}

#else

static size_t whole_lines(size_t count) {
  (void)count;
  return 0;
}

static uint32_t multiplied(uint32_t crc, const uint8_t *bytes, size_t count) {
  (void)bytes, (void)count;
  return crc;
}

#endif

uint32_t cchecksum_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
  const size_t lines = whole_lines(count);
  if (lines > 0) crc = multiplied(crc, bytes, lines);
  return (uint32_t)crc32_z(crc, bytes + lines, count - lines);
}
