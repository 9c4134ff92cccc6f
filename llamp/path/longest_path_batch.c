/* Longest paths for several values at once, by vector instructions. */
#include "llamp/path/longest_path.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Keys at one vertex, or what one expression adds to them. */
struct lanes {
	_Alignas(64) int64_t of[BATCH_LANES];
};

struct lane_weights {
	struct lanes per_ns;
	const struct lanes *expressions;
};

typedef void pass_function(const struct cost_graph *graph, const struct lane_weights *weights,
			   struct lanes *values);

/*
 * Define the pass for an instruction set.  The lanes are in vectors of `bytes` bytes.
 *
 * GCC 12 makes as good instructions from vector_size as intrinsics are: the passes for AVX2 and
 * AVX-512 take 0.92 to 1.06 times as long.  The maximum has to be written with a mask.
 */
#define DEFINE_PASS(name, attributes, bytes, multiply)                                        \
	attributes static void name(const struct cost_graph *graph,                           \
				    const struct lane_weights *weights, struct lanes *values) \
	{                                                                                     \
		typedef int64_t vector __attribute__((vector_size(bytes), may_alias));        \
		enum { VECTORS = sizeof(struct lanes) / sizeof(vector) };                     \
		const vector smallest = (vector){0} + INT64_MIN;                              \
		const struct lanes *expressions = weights->expressions;                       \
		const struct cost_edges edges = graph->edges;                                 \
		const uint64_t edge_count = graph->edge_count;                                \
		const uint32_t *slot = graph->slots;                                          \
		vector per_ns[VECTORS], best[VECTORS];                                        \
                                                                                              \
		values[0] = (struct lanes){0};                                                \
		for (int k = 0; k < VECTORS; k++) {                                           \
			per_ns[k] = ((const vector *)&weights->per_ns)[k];                    \
			best[k] = smallest;                                                   \
		}                                                                             \
		for (uint64_t i = 0; i < edge_count; i++) {                                   \
			const struct cost_edge edge = cost_edges_at(&edges, i);               \
			const uint32_t number = cost_edge_expression(&edge);                  \
			const vector *expression = (const vector *)&expressions[number];      \
			const vector *from = (const vector *)&values[edge.from];              \
                                                                                              \
			_Pragma("GCC unroll 16") for (int k = 0; k < VECTORS; k++)            \
			{                                                                     \
				const vector value = from[k] + expression[k] +                \
						     (vector)multiply(per_ns[k], edge.ns);    \
				const vector larger = value > best[k];                        \
                                                                                              \
				best[k] = (value & larger) | (best[k] & ~larger);             \
			}                                                                     \
			if (!(edge.expression & COST_LAST_EDGE))                              \
				continue;                                                     \
			_Pragma("GCC unroll 16") for (int k = 0; k < VECTORS; k++)            \
			{                                                                     \
				((vector *)&values[*slot])[k] = best[k];                      \
				best[k] = smallest;                                           \
			}                                                                     \
			slot++;                                                               \
		}                                                                             \
	}

#define MULTIPLY(weights, ns) ((weights) * (int64_t)(ns))

DEFINE_PASS(pass_portable, , 8, MULTIPLY)

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512dq")))

/*
 * Product of ns and weights of 32 bits.  AVX2 has an instruction for it, which GCC 12 does not
 * choose.  With it the pass takes 0.7 times as long.  With AVX-512 it would save nothing.
 */
#define MULTIPLY_HALVES(weights, ns) \
	_mm256_mul_epu32((__m256i)(weights), _mm256_set1_epi64x((int64_t)(ns)))

DEFINE_PASS(pass_avx2_halves, AVX2, 32, MULTIPLY_HALVES)
DEFINE_PASS(pass_avx2, AVX2, 32, MULTIPLY)
DEFINE_PASS(pass_avx512, AVX512, 64, MULTIPLY)

/* [implementation]: passes for all ns and weights, and for those of 32 bits. */
static pass_function *const passes[][2] = {
	{pass_portable, pass_portable},
	{pass_avx2, pass_avx2_halves},
	{pass_avx512, pass_avx512},
};

int batch_best(void)
{
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
		return 2;
	return __builtin_cpu_supports("avx2") ? 1 : 0;
}
#else
static pass_function *const passes[][2] = {{pass_portable, pass_portable}};

int batch_best(void)
{
	return 0;
}
#endif

int batch_allocate(void *pointer, size_t count, struct error *err)
{
	const size_t bytes = (count ? count : 1) * sizeof(struct lanes);
	void *block = aligned_alloc(sizeof(struct lanes), bytes);

	if (!block)
		return error_set_memory(err, bytes);
	memcpy(pointer, &block, sizeof block);
	return 0;
}

/*
 * Set what each expression adds to the keys.  Sums may wrap in between, but keys of 64 bits do not.
 * Coefficients are divided by their greatest common divisor once for all keys.
 */
static void weigh_expressions(const struct cost_graph *graph,
			      const struct lexicographic_key *const *keys,
			      struct lanes *expressions)
{
	uint64_t weights[VARIABLES_MOST][BATCH_LANES];

	for (uint32_t v = 0; v < graph->variable_count; v++)
		for (int lane = 0; lane < BATCH_LANES; lane++)
			weights[v][lane] = (uint64_t)keys[lane]->key.of[v] *
					   (graph->coefficient_unit[v] / keys[lane]->unit[v]);
	for (uint32_t i = 0; i < graph->expressions.list.count; i++) {
		uint32_t count;
		const struct cost_term *terms = cost_terms(&graph->expressions, i, &count);
		uint64_t sums[BATCH_LANES] = {0};

		for (uint32_t k = 0; k < count; k++) {
			const uint32_t v = terms[k].variable;
			const uint64_t times = terms[k].coefficient / graph->coefficient_unit[v];

			for (int lane = 0; lane < BATCH_LANES; lane++)
				sums[lane] += weights[v][lane] * times;
		}
		memcpy(expressions[i].of, sums, sizeof sums);
	}
}

int longest_path_batch(const struct cost_graph *graph, const struct lexicographic_key *const *keys,
		       int implementation, int128 *longest, struct error *err)
{
	struct lane_weights weights;
	struct lanes *expressions = NULL, *values = NULL;
	bool halves = graph->most_edge_ns <= UINT32_MAX;

	TRY(batch_allocate(&expressions, graph->expressions.list.count, err));
	if (batch_allocate(&values, graph->slot_count, err) < 0) {
		free(expressions);
		return -1;
	}
	for (int lane = 0; lane < BATCH_LANES; lane++) {
		weights.per_ns.of[lane] = (int64_t)keys[lane]->key.ns;
		halves &= keys[lane]->key.ns <= UINT32_MAX;
	}
	weigh_expressions(graph, keys, expressions);
	weights.expressions = expressions;
	passes[implementation][halves](graph, &weights, values);
	for (int lane = 0; lane < BATCH_LANES; lane++)
		longest[lane] = values[graph->slots[graph->vertex_count - 1]].of[lane];
	free(expressions);
	free(values);
	return 0;
}
