// Where lines end: which bytes are LF, and which CR, 64 at a time. In C because the instructions that turn a comparison
// into bits can't be reached from Swift: the same in Swift SIMD took two to three times as long. Header only and without
// flags: SSE2 is in every x86-64 and NEON in every arm64; anything else takes eight bytes at a time.

#ifndef CBYTESCAN_H
#define CBYTESCAN_H

#include <stdint.h>
#include <string.h>

/// Line ends among 64 bytes: bit n stands for the byte at `offset` + n.
typedef struct {
  intptr_t offset;
  /// Each LF, CR and CR of a CR LF, but not its LF.
  uint64_t ends;
  /// Those of them that are the CR of a CR LF.
  uint64_t pairs;
} CByteScanWindow;

// Each platform has two functions: whether 64 bytes may hold an LF or CR (false for most of a long line; true for other
// bytes too where that is cheaper to say), and which of them are one.

#if defined(__SSE2__)
#include <emmintrin.h>

static inline _Bool cbytescan_may_hold(const uint8_t *bytes) {
  // Whether the smallest byte is as small as CR, the larger of the two: text has nothing there but tabs.
  const __m128i *at = (const __m128i *)bytes;
  const __m128i least = _mm_min_epu8(
    _mm_min_epu8(_mm_loadu_si128(at), _mm_loadu_si128(at + 1)),
    _mm_min_epu8(_mm_loadu_si128(at + 2), _mm_loadu_si128(at + 3)));
  return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(least, _mm_set1_epi8(0x0D)), least)) != 0;
}

static inline uint64_t cbytescan_equal(const uint8_t *bytes, char byte) {
  const __m128i wanted = _mm_set1_epi8(byte);
  uint64_t bits = 0;
  for (int part = 0; part < 4; part++) {
    const __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)bytes + part), wanted);
    bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(equal) << (part * 16);
  }
  return bits;
}

#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#include <arm_neon.h>

static inline _Bool cbytescan_may_hold(const uint8_t *bytes) {
  const uint8x16_t base = vdupq_n_u8(0x0A);
  const uint8x16_t a = vsubq_u8(vld1q_u8(bytes), base), b = vsubq_u8(vld1q_u8(bytes + 16), base);
  const uint8x16_t c = vsubq_u8(vld1q_u8(bytes + 32), base), d = vsubq_u8(vld1q_u8(bytes + 48), base);
  return vminvq_u8(vminq_u8(vminq_u8(a, b), vminq_u8(c, d))) <= 3;
}

static inline uint64_t cbytescan_equal(const uint8_t *bytes, char byte) {
  static const uint8_t powers[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bit = vld1q_u8(powers), wanted = vdupq_n_u8((uint8_t)byte);
  const uint8x16_t a = vandq_u8(vceqq_u8(vld1q_u8(bytes), wanted), bit);
  const uint8x16_t b = vandq_u8(vceqq_u8(vld1q_u8(bytes + 16), wanted), bit);
  const uint8x16_t c = vandq_u8(vceqq_u8(vld1q_u8(bytes + 32), wanted), bit);
  const uint8x16_t d = vandq_u8(vceqq_u8(vld1q_u8(bytes + 48), wanted), bit);
  const uint8x16_t sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

#else

static inline _Bool cbytescan_may_hold(const uint8_t *bytes) {
  (void)bytes;
  return 1;
}

static inline uint64_t cbytescan_equal(const uint8_t *bytes, char byte) {
  const uint64_t low7 = 0x7F7F7F7F7F7F7F7F;
  uint64_t bits = 0;
  for (int part = 0; part < 8; part++) {
    uint64_t word = 0;
    for (int n = 0; n < 8; n++) word |= (uint64_t)(bytes[part * 8 + n] ^ (uint8_t)byte) << (n * 8);
    const uint64_t zeros = ~(((word & low7) + low7) | word) & ~low7; // no carry crosses bytes
    bits |= (((zeros >> 7) * 0x0102040810204080) >> 56) << (part * 8); // the product's top byte gathers them
  }
  return bits;
}

#endif

/// The line ends among 64 bytes, given the byte after them where there is one.
static inline CByteScanWindow cbytescan_window(
  const uint8_t *window, intptr_t offset, _Bool after_cr, _Bool before_lf
) {
  const uint64_t lf = cbytescan_equal(window, 0x0A), cr = cbytescan_equal(window, 0x0D);
  const uint64_t ends = cr | (lf & ~(cr << 1 | (uint64_t)after_cr));
  return (CByteScanWindow){offset, ends, cr & (lf >> 1 | (uint64_t)before_lf << 63)};
}

/// The same for the last bytes, at most 64. A function of its own, so that the loop over all others needs no memory.
__attribute__((noinline)) static CByteScanWindow cbytescan_last(
  const uint8_t *bytes, intptr_t offset, intptr_t count
) {
  if (count <= offset) return (CByteScanWindow){offset, 0, 0};
  uint8_t last[64] = {0};
  memcpy(last, bytes + offset, (size_t)(count - offset));
  return cbytescan_window(last, offset, offset > 0 && bytes[offset - 1] == 0x0D, 0);
}

/// The first window from `offset` on in which lines end, or one without any where there is no more.
static inline CByteScanWindow cbytescan_next(const uint8_t *bytes, intptr_t offset, intptr_t count) {
  for (; count - offset > 64; offset += 64) {
    if (!cbytescan_may_hold(bytes + offset)) continue;
    const CByteScanWindow window = cbytescan_window(
      bytes + offset, offset, offset > 0 && bytes[offset - 1] == 0x0D, bytes[offset + 64] == 0x0A);
    if (window.ends != 0) return window;
  }
  return cbytescan_last(bytes, offset, count);
}

#endif
