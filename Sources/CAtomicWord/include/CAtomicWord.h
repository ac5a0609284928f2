// One word that two threads share. In C because Swift's own atomics need newer systems than this package supports.
// Header only.

#ifndef CATOMICWORD_H
#define CATOMICWORD_H

#include <stdint.h>

/// The word's value, and all that was written before it.
static inline intptr_t catomicword_load(const intptr_t *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Writes `wanted` where the word is still `known`; otherwise says so with false.
static inline _Bool catomicword_replace(intptr_t *word, intptr_t known, intptr_t wanted) {
  return __atomic_compare_exchange_n(word, &known, wanted, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

#endif
