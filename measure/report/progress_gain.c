#include "measure/report/progress_gain.h"

#include "common/text.h"
#include "common/units.h"
#include "measure/cells/ratio.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const enum bench gain_benches[] = {BENCH_SENDER, BENCH_RECEIVER, BENCH_BOTH};
enum { GAIN_BENCHES = sizeof gain_benches / sizeof *gain_benches };

bool gain_row_pays(const struct gain_row *row)
{
	return row->pays > row->costs && 4 * row->pays >= row->cells;
}

/* ------------------------------------------------------------------- settings */

/* Whether a value switches on what its variable is for. */
static bool is_on(const char *value)
{
	static const char *const off[] = {"", "0", "no", "off", "false", "n", "disable"};

	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		if (!strcasecmp(value, off[i]))
			return false;
	return true;
}

static bool is_of_progress(const struct cells_setting *setting)
{
	return strcasestr(setting->name, "progress") != NULL;
}

static bool has_thread(const struct cells_header *header)
{
	for (size_t i = 0; i < header->settings.count; i++)
		if (is_of_progress(&header->settings.items[i]) &&
		    is_on(header->settings.items[i].value))
			return true;
	return false;
}

static bool has_setting(const struct cells_header *header, const struct cells_setting *setting)
{
	for (size_t i = 0; i < header->settings.count; i++)
		if (!strcmp(header->settings.items[i].name, setting->name) &&
		    !strcmp(header->settings.items[i].value, setting->value))
			return true;
	return false;
}

/* Whether all settings of `a` are those of `b`, but those of progress threads unless `all`. */
static bool has_settings(const struct cells_header *a, const struct cells_header *b, bool all)
{
	for (size_t i = 0; i < a->settings.count; i++)
		if ((all || !is_of_progress(&a->settings.items[i])) &&
		    !has_setting(b, &a->settings.items[i]))
			return false;
	return true;
}

static bool same_settings(const struct cells_header *a, const struct cells_header *b, bool all)
{
	return has_settings(a, b, all) && has_settings(b, a, all);
}

static bool equal_texts(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

bool progress_gain_compares(const struct cells_header *a, const struct cells_header *b, bool any)
{
	return equal_texts(a->mpi, b->mpi) && equal_texts(a->processor, b->processor) &&
	       equal_texts(a->hosts[0], b->hosts[0]) && equal_texts(a->hosts[1], b->hosts[1]) &&
	       a->ranks == b->ranks && a->pairs == b->pairs && !same_settings(a, b, true) &&
	       (any || same_settings(a, b, false));
}

/* ----------------------------------------------------------------------- rows */

/* A cell of both files. */
struct cell_pair {
	const struct cell *without, *with;
};

/* What communication adds to the computation. */
static double exposed_ns(const struct cell *cell, double full_ns)
{
	return full_ns - cell->comp.median;
}

static double pair_gain(const struct cell_pair *pair)
{
	const struct cell *without = pair->without, *with = pair->with;

	return (exposed_ns(without, without->full.median) - exposed_ns(with, with->full.median)) /
	       without->full.median;
}

static bool pair_pays(const struct cell_pair *pair)
{
	return exposed_ns(pair->with, pair->with->full.high) <
	       exposed_ns(pair->without, pair->without->full.low);
}

static bool pair_costs(const struct cell_pair *pair)
{
	return exposed_ns(pair->with, pair->with->full.low) >
	       exposed_ns(pair->without, pair->without->full.high);
}

struct cell_pairs {
	struct cell_pair *items;
	size_t count, capacity;
};

static bool is_compared(const struct cell *cell)
{
	for (unsigned i = 0; i < GAIN_BENCHES; i++)
		if (cell_is_plain(cell, gain_benches[i], KERNEL_WORK))
			return !cell_uncertain(cell) && cell->full.median > 0;
	return false;
}

static int pair_by_bytes(const void *a, const void *b)
{
	const struct cell_pair *x = a, *y = b;
	const uint64_t first = x->with->spec.bytes, second = y->with->spec.bytes;

	return (first > second) - (first < second);
}

/* Whether computations are so near, or so long, that exposed times can be compared. */
static bool computes_alike(const struct cell *a, const struct cell *b)
{
	const double factor = a->spec.compute_ns / b->spec.compute_ns;

	return (cell_decides(a) && cell_decides(b)) || (factor >= .8 && factor <= 1.25);
}

/* How far two cells are apart in computation; INFINITY: they cannot be compared. */
static double distance_of(const struct cell *a, const struct cell *b)
{
	struct cell_spec spec = b->spec;

	spec.compute_ns = a->spec.compute_ns;
	if (!cell_spec_equal(&spec, &a->spec) || !is_compared(b) || !computes_alike(a, b))
		return INFINITY;
	return fabs(log(a->spec.compute_ns / b->spec.compute_ns));
}

/* The cell that is nearest in computation, or NULL: a quick run chooses computations by the times that it finds. */
static const struct cell *nearest_cell(const struct cells_file *file, const struct cell *cell)
{
	const struct cell *nearest = cells_file_find(file, &cell->spec);
	double least = INFINITY;

	if (nearest)
		return is_compared(nearest) ? nearest : NULL;
	for (size_t i = 0; i < file->cells.count; i++) {
		const double distance = distance_of(cell, &file->cells.items[i]);

		if (distance < least) {
			least = distance;
			nearest = &file->cells.items[i];
		}
	}
	return nearest;
}

/* Find the cells that can be compared, by size. */
static int find_pairs(const struct progress_gain *gain, struct cell_pairs *pairs, struct error *err)
{
	const struct cells_file *file = &gain->with->file;

	for (size_t i = 0; i < file->cells.count; i++) {
		struct cell_pair pair = {.with = &file->cells.items[i]};

		if (!is_compared(pair.with))
			continue;
		pair.without = nearest_cell(&gain->without->file, pair.with);
		if (pair.without)
			TRY(array_push(pairs, pair, err));
	}
	if (pairs->count)
		qsort(pairs->items, pairs->count, sizeof *pairs->items, pair_by_bytes);
	return 0;
}

/* Count what a pair says in its row. */
static void row_add(struct gain_row *row, const struct cell_pair *pair)
{
	const double compute_ns = pair->with->spec.compute_ns;

	row->cells++;
	row->most = fmax(row->most, pair_gain(pair));
	row->costs += pair_costs(pair);
	if (!pair_pays(pair))
		return;
	row->pays++;
	row->least_ns = fmin(row->least_ns, compute_ns); /* which leaves out NAN */
	row->most_ns = fmax(row->most_ns, compute_ns);
}

static int add_rows(struct progress_gain *gain, const struct cell_pairs *pairs,
		    struct samples *gains, struct error *err)
{
	for (size_t i = 0; i < pairs->count;) {
		const uint64_t bytes = pairs->items[i].with->spec.bytes;
		struct gain_row row = {.bytes = bytes,
				       .most = -INFINITY,
				       .least_ns = NAN,
				       .most_ns = NAN};

		gains->count = 0;
		for (; i < pairs->count && pairs->items[i].with->spec.bytes == bytes; i++) {
			row_add(&row, &pairs->items[i]);
			TRY(array_push(gains, pair_gain(&pairs->items[i]), err));
		}
		row.gain = samples_summary(gains).median;
		TRY(array_push(&gain->rows, row, err));
	}
	return 0;
}

/* Find what the thread costs where it does. */
static int find_cost(struct progress_gain *gain, const struct cell_pairs *pairs,
		     struct samples *costs, struct error *err)
{
	costs->count = 0;
	for (size_t i = 0; i < pairs->count; i++)
		if (pair_costs(&pairs->items[i]))
			TRY(array_push(costs, -pair_gain(&pairs->items[i]), err));
	gain->cells = (unsigned)pairs->count;
	gain->costs = (unsigned)costs->count;
	gain->cost = samples_summary(costs).median;
	return 0;
}

static int find_latency(const struct cells_file *file, double *latency_ns, struct error *err)
{
	struct samples values = {0};
	int result = 0;

	for (size_t i = 0; i < file->cells.count && result == 0; i++)
		result = array_push(&values, file->cells.items[i].latency.median, err);
	*latency_ns = samples_summary(&values).median;
	array_release(&values);
	return result;
}

/* ------------------------------------------------------------------- sentence */

/* The longest run of sizes at which the thread pays. */
struct gain_range {
	uint64_t from, to;
	double least_ns, most_ns;
	size_t sizes; /* 0: it pays at none */
};

static struct gain_range paying_range(const struct progress_gain *gain)
{
	struct gain_range best = {.sizes = 0}, now = {.sizes = 0};

	for (size_t i = 0; i < gain->rows.count; i++) {
		const struct gain_row *row = &gain->rows.items[i];

		if (!gain_row_pays(row)) {
			now.sizes = 0;
			continue;
		}
		if (!now.sizes)
			now = (struct gain_range){row->bytes, row->bytes, row->least_ns,
						  row->most_ns, 0};
		now.to = row->bytes;
		now.least_ns = fmin(now.least_ns, row->least_ns);
		now.most_ns = fmax(now.most_ns, row->most_ns);
		now.sizes++;
		if (now.sizes > best.sizes)
			best = now;
	}
	return best;
}

static void say_gain(const struct progress_gain *gain, struct sentence *sentence)
{
	const struct gain_range range = paying_range(gain);
	char text[4][UNIT_TEXT_BYTES];

	sentence_add(sentence, "on this machine %s ",
		     gain->is_thread ? "a progress thread" : "the other environment");
	if (!range.sizes) {
		sentence_add(sentence, "does not pay");
		return;
	}
	sentence_add(sentence, "pays for messages of %s",
		     format_bytes((double)range.from, text[0]));
	if (range.to > range.from)
		sentence_add(sentence, " to %s", format_bytes((double)range.to, text[1]));
	sentence_add(sentence, " with computation of %s", format_time(range.least_ns, 3, text[2]));
	if (range.most_ns > range.least_ns)
		sentence_add(sentence, " to %s", format_time(range.most_ns, 3, text[3]));
}

static void say_cost(const struct progress_gain *gain, struct sentence *sentence)
{
	char text[2][UNIT_TEXT_BYTES];

	if (gain->costs)
		sentence_add(sentence, "; it costs %.3g %% in %u of %u cells",
			     round_digits(100 * gain->cost), gain->costs, gain->cells);
	else
		sentence_add(sentence, "; it costs nothing in %u cells", gain->cells);
	sentence_add(sentence, ", and a message without data takes %s instead of %s",
		     format_time(gain->latency_ns[1], 3, text[0]),
		     format_time(gain->latency_ns[0], 3, text[1]));
}

static void say_sentence(struct progress_gain *gain)
{
	const unsigned processors = gain->with->file.header.processors;
	struct sentence sentence = {.length = 0};

	if (gain->cells) {
		say_gain(gain, &sentence);
		say_cost(gain, &sentence);
	} else {
		sentence_add(&sentence,
			     "nothing can be compared: no cell was measured with both settings");
	}
	if (gain->is_thread && !gain->has_free_core)
		sentence_add(
			&sentence,
			"; no free core: %u processor%s for %u rank%s, so that the thread takes its"
			" time from them",
			processors, plural(processors), gain->host_ranks, plural(gain->host_ranks));
	snprintf(gain->sentence, sizeof gain->sentence, "%.*s", (int)sizeof gain->sentence - 1,
		 sentence.text);
}

/* ----------------------------------------------------------------- comparison */

static int compare_cells(struct progress_gain *gain, struct error *err)
{
	struct cell_pairs pairs = {0};
	struct samples values = {0};
	int result = find_pairs(gain, &pairs, err);

	if (result == 0)
		result = add_rows(gain, &pairs, &values, err);
	if (result == 0)
		result = find_cost(gain, &pairs, &values, err);
	array_release(&pairs);
	array_release(&values);
	return result;
}

int progress_gain_find(struct progress_gain *gain, const struct overlap_findings *a,
		       const struct overlap_findings *b, struct error *err)
{
	const struct cells_header *header = &a->file.header;
	const bool first = has_thread(header), second = has_thread(&b->file.header);

	memset(gain, 0, sizeof *gain);
	gain->is_thread = first != second;
	gain->without = first && !second ? b : a;
	gain->with = first && !second ? a : b;
	gain->host_ranks = header->one_host ? header->ranks : header->ranks / 2;
	gain->has_free_core = header->processors > gain->host_ranks;
	if (compare_cells(gain, err) < 0 ||
	    find_latency(&gain->without->file, &gain->latency_ns[0], err) < 0 ||
	    find_latency(&gain->with->file, &gain->latency_ns[1], err) < 0) {
		progress_gain_release(gain);
		return -1;
	}
	say_sentence(gain);
	return 0;
}

void progress_gain_release(struct progress_gain *gain)
{
	array_release(&gain->rows);
}
