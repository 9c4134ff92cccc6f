#include "test/unit/lib/oracle/coll_formula.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *at;
	const char *fault;
	uint32_t P;
	uint64_t b, segment;
};

static uint32_t log2_down(uint32_t n)
{
	return 31 - (uint32_t)__builtin_clz(n);
}

static uint32_t log2_up(uint32_t n)
{
	return n > 1 ? log2_down(n - 1) + 1 : 0;
}

/* Count blocks moved by binomial trees: add the sizes of all proper subtrees. */
static uint64_t subtrees(uint32_t P)
{
	uint64_t sum = 0;
	uint32_t v;

	for (v = 1; v < P; v++)
		sum += (v & -v) < P - v ? (v & -v) : P - v;
	return sum;
}

/* Count the bits set in the numbers below P. */
static uint64_t bits(uint32_t P)
{
	uint64_t sum = 0;
	uint32_t v;

	for (v = 1; v < P; v++)
		sum += (uint32_t)__builtin_popcount(v);
	return sum;
}

/* Count pairs of numbers below P that differ in one bit. */
static uint64_t neighbours(uint32_t P)
{
	uint64_t sum = 0;
	uint32_t v, bit;

	for (bit = 1; bit < P; bit <<= 1) {
		for (v = 0; v < P; v++)
			sum += !(v & bit) && v + bit < P;
	}
	return sum;
}

static uint64_t segments(const struct reader *reader, uint64_t bytes)
{
	return reader->segment ? (bytes + reader->segment - 1) / reader->segment : 1;
}

/* Find the most digits other than 0, in base 4, of a number below P. */
static uint64_t digits(uint32_t P)
{
	uint64_t most = 0;

	for (uint32_t v = 0; v < P; v++) {
		uint64_t count = 0;

		for (uint32_t rest = v; rest; rest /= 4)
			count += rest % 4 != 0;
		most = count > most ? count : most;
	}
	return most;
}

/* Count ranks whose sibling half is not empty, or the blocks that they need from it. */
static uint64_t halves(uint32_t P, bool blocks)
{
	uint64_t sum = 0;

	for (uint32_t width = 1; width < P; width *= 2) {
		for (uint32_t v = 0; v < P; v++) {
			uint32_t members = 0;

			for (uint32_t w = 0; w < P; w++)
				members += w / width == (v / width ^ 1);
			if (members)
				sum += blocks ? P - members : 1;
		}
	}
	return sum;
}

static uint64_t variable(struct reader *reader, char name)
{
	const uint32_t P = reader->P, f = log2_down(P), p = UINT32_C(1) << f;

	switch (name) {
	case 'P': return P;
	case 'b': return reader->b;
	case 'f': return f;
	case 'k': return f + (P > p);
	case 'p': return p;
	case 'r': return P - p;
	case 'x': return P > p;
	case 'y': return P - p > p / 2;
	case 'o': return P % 2;
	case 's': return subtrees(P);
	case 't': return bits(P);
	case 'n': return neighbours(P);
	case 'g': return segments(reader, reader->b);
	case 'c': return segments(reader, reader->b / 2);
	case 'h': return segments(reader, reader->b / P);
	case 'q': return digits(P);
	case 'a': return UINT64_C(1) << (f + 1) / 2;
	case 'u': return halves(P, false);
	case 'w': return halves(P, true);
	/* Sizes of the two groups of an inter-communicator. */
	case 'A': return P / 2;
	case 'B': return P - P / 2;
	case 'C': return log2_up(P / 2);
	case 'D': return log2_up(P - P / 2);
	case 'G': return log2_down(P / 2);
	case 'H': return log2_down(P - P / 2);
	case 'S': return subtrees(P / 2);
	case 'T': return subtrees(P - P / 2);
	}
	reader->fault = "an unknown variable";
	return 0;
}

static uint64_t sum(struct reader *reader);

static void expect(struct reader *reader, char what)
{
	if (*reader->at == what)
		reader->at++;
	else
		reader->fault = "a missing character";
}

static uint64_t factor(struct reader *reader)
{
	uint64_t value, other;
	char *end;

	if (isdigit((unsigned char)*reader->at)) {
		value = strtoull(reader->at, &end, 10);
		reader->at = end;
		return value;
	}
	if (strncmp(reader->at, "min(", 4) == 0) {
		reader->at += 4;
		value = sum(reader);
		expect(reader, ',');
		other = sum(reader);
		expect(reader, ')');
		return value < other ? value : other;
	}
	if (*reader->at == '(') {
		reader->at++;
		value = sum(reader);
		expect(reader, ')');
		return value;
	}
	if (!*reader->at) {
		reader->fault = "a missing operand";
		return 0;
	}
	return variable(reader, *reader->at++);
}

static void skip_blanks(struct reader *reader)
{
	while (*reader->at == ' ')
		reader->at++;
}

static uint64_t product(struct reader *reader)
{
	uint64_t value, divisor;

	skip_blanks(reader);
	value = factor(reader);
	for (skip_blanks(reader); *reader->at == '*' || *reader->at == '/'; skip_blanks(reader)) {
		if (*reader->at++ == '*') {
			skip_blanks(reader);
			value *= factor(reader);
			continue;
		}
		skip_blanks(reader);
		divisor = factor(reader);
		if (!divisor)
			reader->fault = "a division by zero";
		else
			value /= divisor;
	}
	return value;
}

static uint64_t sum(struct reader *reader)
{
	uint64_t value = product(reader);

	while (*reader->at == '+' || *reader->at == '-') {
		if (*reader->at++ == '+')
			value += product(reader);
		else
			value -= product(reader);
	}
	return value;
}

uint64_t formula_value(const char *formula, uint32_t P, uint64_t b, uint64_t segment,
		       const char **fault)
{
	struct reader reader = {.at = formula, .P = P, .b = b, .segment = segment};
	const uint64_t value = sum(&reader);

	if (!reader.fault && *reader.at)
		reader.fault = "something after its end";
	*fault = reader.fault;
	return value;
}
