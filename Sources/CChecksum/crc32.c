// Long stretches by carry-less multiplication where the processor has it; zlib for the rest: its ends, and every other
// processor (on Apple's, zlib uses the CRC instructions itself). In C because Swift can't reach that instruction.
//
// How it works: bytes are a polynomial over two elements, and the CRC is its remainder by P, which doesn't change when
// a part of the polynomial gives way to anything of the same remainder. So 16 bytes that stand D bits before others
// are taken away and added to those, multiplied by x^D mod P. Four lines of 16 bytes walk on side by side, D = 512, or
// eight, D = 1024, where one instruction multiplies two; then they become one, D = 128. What is left are 16 bytes that
// zlib sums in place of all.
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

/// The powers for a distance of 128 bits.
CARRYLESS static inline __m128i by128(void) { return _mm_set_epi64x(0x0CCAA009E, 0x1751997D0); }

/// The sum of a line and the bytes behind it, a multiple of 16.
CARRYLESS static inline uint32_t sum(__m128i line, const uint8_t *bytes, const uint8_t *end) {
  for (; bytes < end; bytes += 16) line = fold(line, by128(), load(bytes));
  uint8_t rest[16];
  _mm_storeu_si128((__m128i *)rest, line);
  return (uint32_t)crc32_z(UINT32_MAX, rest, sizeof rest);
}

/// The bytes before come in as the first 32 bits; a CRC begins and ends with all of them turned over.
CARRYLESS static inline __m128i first_bits(uint32_t crc) { return _mm_cvtsi32_si128((int)~crc); }

/// The sum of at least 64 bytes, a multiple of 16.
CARRYLESS static uint32_t multiplied(uint32_t crc, const uint8_t *bytes, size_t count) {
  const __m128i by512 = _mm_set_epi64x(0x1C6E41596, 0x154442BD4);
  __m128i a = _mm_xor_si128(load(bytes), first_bits(crc));
  __m128i b = load(bytes + 16), c = load(bytes + 32), d = load(bytes + 48);
  const uint8_t *const end = bytes + count;
  for (bytes += 64; end - bytes >= 64; bytes += 64) {
    a = fold(a, by512, load(bytes));
    b = fold(b, by512, load(bytes + 16));
    c = fold(c, by512, load(bytes + 32));
    d = fold(d, by512, load(bytes + 48));
  }
  return sum(fold(fold(fold(a, by128(), b), by128(), c), by128(), d), bytes, end);
}

#define CARRYLESS_WIDE __attribute__((target("pclmul,avx2,vpclmulqdq")))

/// From this length on twice as many at once are faster.
enum { shortest_wide = 256 };

CARRYLESS_WIDE static inline __m256i fold_two(__m256i lines, __m256i powers, __m256i there) {
  const __m256i low = _mm256_clmulepi64_epi128(lines, powers, 0x00);
  const __m256i high = _mm256_clmulepi64_epi128(lines, powers, 0x11);
  return _mm256_xor_si256(_mm256_xor_si256(low, high), there);
}

CARRYLESS_WIDE static inline __m256i load_two(const uint8_t *bytes) {
  return _mm256_loadu_si256((const __m256i *)bytes);
}

/// The second of two lines, with the first and all before it in it.
CARRYLESS_WIDE static inline __m128i join(__m128i before, __m256i lines) {
  const __m128i first = fold(before, by128(), _mm256_castsi256_si128(lines));
  return fold(first, by128(), _mm256_extracti128_si256(lines, 1));
}

/// The sum of at least 128 bytes, a multiple of 16.
CARRYLESS_WIDE static uint32_t multiplied_wide(uint32_t crc, const uint8_t *bytes, size_t count) {
  const __m256i by1024 = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x14A7FE880, 0x1E88EF372));
  __m256i a = _mm256_xor_si256(load_two(bytes), _mm256_zextsi128_si256(first_bits(crc)));
  __m256i b = load_two(bytes + 32), c = load_two(bytes + 64), d = load_two(bytes + 96);
  const uint8_t *const end = bytes + count;
  for (bytes += 128; end - bytes >= 128; bytes += 128) {
    a = fold_two(a, by1024, load_two(bytes));
    b = fold_two(b, by1024, load_two(bytes + 32));
    c = fold_two(c, by1024, load_two(bytes + 64));
    d = fold_two(d, by1024, load_two(bytes + 96));
  }
  // Nothing is before the first: a line of zeros stays one, however far it is moved on.
  return sum(join(join(join(join(_mm_setzero_si128(), a), b), c), d), bytes, end);
}

static size_t whole_lines(size_t count) {
  return count >= shortest && __builtin_cpu_supports("pclmul") ? count & ~(size_t)15 : 0;
}

/// The sum of whole lines.
static uint32_t sum_lines(uint32_t crc, const uint8_t *bytes, size_t count) {
  const _Bool is_wide =
    count >= shortest_wide && __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx2");
  return is_wide ? multiplied_wide(crc, bytes, count) : multiplied(crc, bytes, count);
}

#else

static size_t whole_lines(size_t count) {
  (void)count;
  return 0;
}

static uint32_t sum_lines(uint32_t crc, const uint8_t *bytes, size_t count) {
  (void)bytes, (void)count;
  return crc;
}

#endif

uint32_t cchecksum_crc32(uint32_t crc, const uint8_t *bytes, size_t count) {
  const size_t lines = whole_lines(count);
  if (lines > 0) crc = sum_lines(crc, bytes, lines);
  return (uint32_t)crc32_z(crc, bytes + lines, count - lines);
}
