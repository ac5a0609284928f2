// CRC-32 as gzip has it (RFC 1952, section 8). A cassette's bytes are summed twice, for their member and for the
// trailer's total, and zlib's own sum takes several times as long as inflating an event stream does.

#ifndef CCHECKSUM_H
#define CCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// The CRC-32 of `count` bytes, going on from `crc`, the sum of those before them (0 at the start).
uint32_t cchecksum_crc32(uint32_t crc, const uint8_t *bytes, size_t count);

#endif
