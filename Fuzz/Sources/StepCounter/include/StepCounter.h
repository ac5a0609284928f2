// Counts what a program does in steps that are the same on every machine: each comparison that the fuzzer's
// instrumentation reports (a loop makes at least one each time round), and each byte that is copied, moved, filled,
// compared or searched by the C library, which loops where no instrumentation sees it.
//
// It works by the linker: a target that wants it is linked with `--wrap` for each of the functions in StepCounter.c.

#pragma once
#include <stdint.h>

/// How many steps the process has made so far.
uint64_t steps_made(void);
