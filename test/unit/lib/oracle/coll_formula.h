/* Evaluation of the formulas in doc/collectives.md, which explains their notation. */
#ifndef TEST_COLL_FORMULA_H
#define TEST_COLL_FORMULA_H

#include <stdint.h>

/*
 * Evaluate a formula for P >= 2 ranks, blocks of b bytes and segments of `segment` bytes (0: no
 * segments).  Stores the formula's fault in *fault, or NULL.
 */
uint64_t formula_value(const char *formula, uint32_t P, uint64_t b, uint64_t segment,
		       const char **fault);

#endif
