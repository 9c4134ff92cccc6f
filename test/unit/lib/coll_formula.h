/* The closed forms of doc/collectives.md: names and notation are explained there. */
#ifndef TEST_COLL_FORMULA_H
#define TEST_COLL_FORMULA_H

#include <stdint.h>

/*
 * The value of a formula for P >= 2 ranks, blocks of b bytes, and segments of so
 * many (0: none).  Stores NULL or what is wrong with the formula in *fault.
 */
uint64_t formula_value(const char *formula, uint32_t P, uint64_t b, uint64_t segment,
		       const char **fault);

#endif
