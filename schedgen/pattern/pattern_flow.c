/* Pipeline, random bisection, incast, outcast. */
#include "schedgen/pattern/pattern_kinds.h"

/* Pass one item per iteration through all ranks. */
int pattern_pipeline(struct pattern *pattern, struct error *err)
{
	const struct pattern_options *options = &pattern->options;

	if (pattern->rank > 0)
		TRY(pattern_recv(pattern, options->bytes, pattern->rank - 1, 0, err));
	pattern_round_end(pattern);
	TRY(pattern_compute(pattern, options->compute_ns, err));
	if (pattern->rank + 1 < options->ranks)
		TRY(pattern_send(pattern, options->bytes, pattern->rank + 1, 0, err));
	pattern_round_end(pattern);
	return 0;
}

int pattern_incast(struct pattern *pattern, struct error *err)
{
	const struct pattern_options *options = &pattern->options;

	TRY(pattern_compute(pattern, options->compute_ns, err));
	if (pattern->rank > 0)
		TRY(pattern_send(pattern, options->bytes, 0, 0, err));
	for (uint32_t from = 1; pattern->rank == 0 && from < options->ranks; from++)
		TRY(pattern_recv(pattern, options->bytes, from, 0, err));
	pattern_round_end(pattern);
	return 0;
}

int pattern_outcast(struct pattern *pattern, struct error *err)
{
	const struct pattern_options *options = &pattern->options;

	TRY(pattern_compute(pattern, options->compute_ns, err));
	if (pattern->rank > 0)
		TRY(pattern_recv(pattern, options->bytes, 0, 0, err));
	for (uint32_t to = 1; pattern->rank == 0 && to < options->ranks; to++)
		TRY(pattern_send(pattern, options->bytes, to, 0, err));
	pattern_round_end(pattern);
	return 0;
}

/* ------------------------------------------------------------ permutations */

/*
 * A random permutation of 0 ... count - 1 that needs no memory.  A Feistel network (M. Luby, C.
 * Rackoff, 1988) permutes the numbers of 2 * bits bits.  A number outside the range is permuted
 * again until it is inside (J. Black, P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA
 * 2002): fewer than 4 times on average.
 */
struct permutation {
	uint64_t key;
	uint32_t count, bits;
};
enum { FEISTEL_ROUNDS = 6 };

static struct permutation permutation(uint64_t key, uint32_t count)
{
	struct permutation result = {.key = key, .count = count};

	while (UINT64_C(1) << (2 * result.bits) < count)
		result.bits++;
	return result;
}

static uint64_t permute_bits(const struct permutation *p, uint64_t number, bool back)
{
	const uint64_t mask = (UINT64_C(1) << p->bits) - 1;
	uint64_t left = number >> p->bits, right = number & mask;

	for (uint64_t i = 0; i < FEISTEL_ROUNDS; i++) {
		const uint64_t round = back ? FEISTEL_ROUNDS - 1 - i : i;
		const uint64_t kept = back ? left : right, other = back ? right : left;
		const uint64_t changed = other ^ (pattern_hash(p->key, round, kept) & mask);

		left = back ? changed : kept;
		right = back ? kept : changed;
	}
	return left << p->bits | right;
}

static uint32_t permute(const struct permutation *p, uint32_t number, bool back)
{
	uint64_t image = number;

	do
		image = permute_bits(p, image, back);
	while (image >= p->count);
	return (uint32_t)image;
}

/* With an odd number of ranks one is idle. */
int pattern_bisection(struct pattern *pattern, struct error *err)
{
	const struct pattern_options *options = &pattern->options;
	const uint32_t half = options->ranks / 2;
	const struct permutation places =
		permutation(pattern_hash(options->seed, UINT64_MAX, pattern->iteration),
			    options->ranks);
	const uint32_t place = permute(&places, pattern->rank, false);

	TRY(pattern_compute(pattern, options->compute_ns, err));
	if (place < 2 * half) {
		const uint32_t partner =
			permute(&places, place < half ? place + half : place - half, true);

		TRY(pattern_recv(pattern, options->bytes, partner, 0, err));
		TRY(pattern_send(pattern, options->bytes, partner, 0, err));
	}
	pattern_round_end(pattern);
	return 0;
}
