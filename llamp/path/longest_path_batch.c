#include "llamp/path/longest_path.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* The keys at one vertex, or the amounts that one expression adds to them. */
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
 * The loop for several instruction sets; one of them is chosen when the program
 * runs: `vector` holds `width` lanes.  Where neither ns nor what they weigh needs more
 * than 32 bits, `multiply` may be one that takes the low halves only: all others take
 * several instructions, about as many as the rest of the loop.
 */
#define DEFINE_PASS(name, attributes, vector, width, load, store, add, multiply, maximum,  \
		    broadcast)                                                             \
	attributes static void name(const struct cost_graph *graph,                        \
				    const struct lane_weights *weights,                    \
				    struct lanes *values)                                  \
	{                                                                                  \
		enum { VECTORS = BATCH_LANES / (width) };                                  \
		const struct cost_vertex *vertex = graph->vertices;                        \
		vector per_ns[VECTORS], best[VECTORS];                                     \
                                                                                           \
		values[0] = (struct lanes){0};                                             \
		for (int k = 0; k < VECTORS; k++) {                                        \
			per_ns[k] = load(&weights->per_ns.of[k * (width)]);                \
			best[k] = broadcast(INT64_MIN);                                    \
		}                                                                          \
		for (uint64_t i = 0; i < graph->edge_count; i++) {                         \
			const struct cost_edge *edge = &graph->edges[i];                   \
			const int64_t *from = values[edge->from].of;                       \
			const uint32_t number = cost_edge_expression(edge);                \
			const int64_t *expression = weights->expressions[number].of;       \
			const vector ns = broadcast((int64_t)edge->ns);                    \
                                                                                           \
			_Pragma("GCC unroll 16")                                           \
			for (int k = 0; k < VECTORS; k++)                                  \
				best[k] = maximum(best[k],                                 \
						  add(add(load(from + k * (width)),        \
							  load(expression + k * (width))), \
						      multiply(ns, per_ns[k])));           \
			if (!(edge->expression & COST_LAST_EDGE))                          \
				continue;                                                  \
			_Pragma("GCC unroll 16")                                           \
			for (int k = 0; k < VECTORS; k++) {                                \
				store(&values[vertex->slot].of[k * (width)], best[k]);     \
				best[k] = broadcast(INT64_MIN);                            \
			}                                                                  \
			vertex++;                                                          \
		}                                                                          \
	}

static inline int64_t load_scalar(const int64_t *from)
{
	return *from;
}

static inline void store_scalar(int64_t *to, int64_t value)
{
	*to = value;
}

static inline int64_t add_scalar(int64_t a, int64_t b)
{
	return a + b;
}

static inline int64_t multiply_scalar(int64_t a, int64_t b)
{
	return a * b;
}

static inline int64_t maximum_scalar(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline int64_t same_scalar(int64_t value)
{
	return value;
}

DEFINE_PASS(pass_portable, , int64_t, 1, load_scalar, store_scalar, add_scalar, multiply_scalar,
	    maximum_scalar, same_scalar)

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512dq")))

AVX2 static inline __m256i load_avx2(const int64_t *from)
{
	return _mm256_load_si256((const __m256i *)from);
}

AVX2 static inline void store_avx2(int64_t *to, __m256i value)
{
	_mm256_store_si256((__m256i *)to, value);
}

/* The low 64 bits of the products, from those of halves. */
AVX2 static inline __m256i multiply_avx2(__m256i a, __m256i b)
{
	const __m256i crossed = _mm256_mullo_epi32(a, _mm256_shuffle_epi32(b, 0xb1));
	const __m256i high = _mm256_add_epi32(crossed, _mm256_srli_epi64(crossed, 32));

	return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(high, 32));
}

AVX2 static inline __m256i maximum_avx2(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

AVX512 static inline __m512i load_avx512(const int64_t *from)
{
	return _mm512_load_si512(from);
}

AVX512 static inline void store_avx512(int64_t *to, __m512i value)
{
	_mm512_store_si512(to, value);
}

DEFINE_PASS(pass_avx2_halves, AVX2, __m256i, 4, load_avx2, store_avx2, _mm256_add_epi64,
	    _mm256_mul_epu32, maximum_avx2, _mm256_set1_epi64x)
DEFINE_PASS(pass_avx512_halves, AVX512, __m512i, 8, load_avx512, store_avx512, _mm512_add_epi64,
	    _mm512_mul_epu32, _mm512_max_epi64, _mm512_set1_epi64)
DEFINE_PASS(pass_avx2, AVX2, __m256i, 4, load_avx2, store_avx2, _mm256_add_epi64, multiply_avx2,
	    maximum_avx2, _mm256_set1_epi64x)
DEFINE_PASS(pass_avx512, AVX512, __m512i, 8, load_avx512, store_avx512, _mm512_add_epi64,
	    _mm512_mullo_epi64, _mm512_max_epi64, _mm512_set1_epi64)

/* For all ns and weights, and for those of 32 bits. */
static pass_function *const passes[][2] = {
	{pass_portable, pass_portable},
	{pass_avx2, pass_avx2_halves},
	{pass_avx512, pass_avx512_halves},
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

int longest_path_batch(const struct cost_graph *graph, const struct lexicographic_key *const *keys,
		       int implementation, int128 *longest, struct error *err)
{
	const size_t expression_count = graph->expressions.list.count;
	struct lane_weights weights;
	struct lanes *expressions = NULL, *values = NULL;
	bool halves = graph->most_edge_ns <= UINT32_MAX;

	TRY(batch_allocate(&expressions, expression_count, err));
	if (batch_allocate(&values, graph->slot_count, err) < 0) {
		free(expressions);
		return -1;
	}
	for (int lane = 0; lane < BATCH_LANES; lane++) {
		weights.per_ns.of[lane] = (int64_t)keys[lane]->key.ns;
		halves &= keys[lane]->key.ns <= UINT32_MAX;
		for (size_t i = 0; i < expression_count; i++)
			expressions[i].of[lane] = (int64_t)key_of_expression(
				keys[lane], graph, (uint32_t)i);
	}
	weights.expressions = expressions;
	passes[implementation][halves](graph, &weights, values);
	for (int lane = 0; lane < BATCH_LANES; lane++)
		longest[lane] = values[graph->vertices[graph->vertex_count - 1].slot].of[lane];
	free(expressions);
	free(values);
	return 0;
}
