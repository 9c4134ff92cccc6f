/* The closed forms of doc/collectives.md: names and notation are explained there. */
#ifndef TEST_COLL_FORMULA_H
#define TEST_COLL_FORMULA_H

#include <stdint.h>

/*
 * The value of a formula for P >= 2 ranks and blocks of b bytes.  Stores NULL or
 * what is wrong with the formula in *fault.
 */
uint64_t formula_value(const char *formula, uint32_t P, uint64_t b, const char **fault);

#endif
