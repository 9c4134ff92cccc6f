#include "measure/report/overlap_params.h"

#include "common/text.h"
#include "common/version.h"
#include "measure/statistics/fit.h"

#include <inttypes.h>
#include <math.h>

enum { FEWEST_PARAMS_SIZES = 3 };

/* -------------------------------------------------------------------- references */

static bool is_reference(const struct cell *cell, bool cpu)
{
	const struct cell_spec *spec = &cell->spec;

	if (spec->pending != 1 || spec->tests_ns > 0 || spec->side != SIDE_SENDER)
		return false;
	return cpu ? spec->bench == BENCH_CPU
		   : spec->bench == BENCH_SENDER || spec->bench == BENCH_RECEIVER;
}

/* Median of T_comm of one size; NAN: it was not measured. */
static int find_comm(const struct cells_file *file, bool cpu, uint64_t bytes, double *ns,
		     struct error *err)
{
	struct samples values = {0};
	int result = 0;

	for (size_t i = 0; i < file->cells.count && result == 0; i++) {
		const struct cell *cell = &file->cells.items[i];

		if (is_reference(cell, cpu) && cell->spec.bytes == bytes)
			result = array_push(&values, cell->comm.median, err);
	}
	*ns = samples_summary(&values).median;
	array_release(&values);
	return result;
}

static int find_latency_of_pairs(const struct cells_file *file, double *ns, struct error *err)
{
	struct samples values = {0};
	int result = 0;

	for (size_t i = 0; i < file->cells.count && result == 0; i++)
		if (is_reference(&file->cells.items[i], false))
			result = array_push(&values, file->cells.items[i].latency.median, err);
	*ns = samples_summary(&values).median;
	array_release(&values);
	return result;
}

/* The smallest size of a benchmark above `than`; 0: there is none. */
static uint64_t next_size(const struct cells_file *file, bool cpu, uint64_t than)
{
	uint64_t next = 0;

	for (size_t i = 0; i < file->cells.count; i++) {
		const struct cell *cell = &file->cells.items[i];
		const uint64_t bytes = cell->spec.bytes;

		if (is_reference(cell, cpu) && bytes > than && (!next || bytes < next))
			next = bytes;
	}
	return next;
}

/* -------------------------------------------------------------------- parameters */

static void find_threshold(const struct overlap_findings *of, struct overlap_params *params)
{
	const struct size_classes *classes = &of->classes;
	const struct cells_header *header = &of->file.header;

	params->of.S = header->S_high ? header->S_low : NO_THRESHOLD;
	for (size_t i = 0; !header->S_high && i + 1 < classes->count; i++) {
		const struct size_class *class = &classes->items[i];

		if (class->like.bench != BENCH_RECEIVER || class[1].like.bench != BENCH_RECEIVER ||
		    class->verdict != VERDICT_OVERLAPPED)
			continue;
		params->of.S = class->to;
		params->guesses_S = true;
		return;
	}
}

static int find_latency_and_overhead(const struct cells_file *file, struct overlap_params *params,
				     struct error *err)
{
	double latency_ns, send_ns;

	TRY(find_latency_of_pairs(file, &latency_ns, err));
	if (isnan(latency_ns))
		return error_set(
			err, STATUS_LIMIT,
			"%s has no cell of the benchmarks sender and receiver, from which L and G come",
			file->path);
	TRY(find_comm(file, true, next_size(file, true, 0), &send_ns, err));
	params->knows_o = !isnan(send_ns);
	params->of.o_ns = params->knows_o ? fmin(send_ns, latency_ns / 2) : 0;
	params->of.L_ns = latency_ns - 2 * params->of.o_ns;
	return 0;
}

/* Find G, with all other parameters given, and the residual. */
static int find_bandwidth(const struct cells_file *file, struct overlap_params *params,
			  struct error *err)
{
	ARRAY(struct point) points = {0};
	struct line line;
	int result = 0;

	for (uint64_t bytes = next_size(file, false, 0); bytes && result == 0;
	     bytes = next_size(file, false, bytes)) {
		double ns;
		const double base_ns = predict_one_way_ns(&params->of, bytes);

		result = find_comm(file, false, bytes, &ns, err);
		if (result == 0 && ns > 0)
			result = array_push(&points,
					    ((struct point){(double)(bytes - 1), ns - base_ns, ns}),
					    err);
	}
	line = fit_slope(points.items, points.count, 0);
	params->of.G_ns = line.slope;
	params->residual = line.residual;
	params->sizes = line.points;
	array_release(&points);
	if (result == 0 && params->sizes < FEWEST_PARAMS_SIZES)
		return error_set(err, STATUS_LIMIT, "%s has fewer than %d message sizes for G",
				 file->path, FEWEST_PARAMS_SIZES);
	return result;
}

int overlap_params_find(const struct overlap_findings *of, struct overlap_params *params,
			struct error *err)
{
	*params = (struct overlap_params){.residual = NAN};
	find_threshold(of, params);
	TRY(find_latency_and_overhead(&of->file, params, err));
	return find_bandwidth(&of->file, params, err);
}

/* ------------------------------------------------------------------------- YAML */

static void write_ns(FILE *stream, const char *key, double ns, int digits)
{
	fprintf(stream, "%s: %.*fns\n", key, digits, ns);
}

/* The shares of one side, as a comment. */
static int write_shares(FILE *stream, const struct cells_file *file, enum bench bench,
			struct error *err)
{
	struct overlap_shares shares = {0};
	struct error none;

	if (overlap_shares_find(file, bench, &shares, &none) < 0) {
		array_release(&shares);
		if (none.status == STATUS_LIMIT)
			return 0;
		*err = none;
		return -1;
	}
	fprintf(stream, "#   %s:\n", bench_descriptions[bench].name);
	for (size_t i = 0; i < shares.count; i++) {
		if (shares.items[i].to == UINT64_MAX)
			fprintf(stream, "#     - {share: %.3f}\n", shares.items[i].share);
		else
			fprintf(stream, "#     - {to: %" PRIu64 ", share: %.3f}\n",
				shares.items[i].to, shares.items[i].share);
	}
	array_release(&shares);
	return 0;
}

static void write_remarks(FILE *stream, const struct overlap_params *params)
{
	fprintf(stream, "# T_comm of %zu sizes is missed by %.1f %% (root mean square)\n",
		params->sizes, 100 * params->residual);
	if (!params->knows_o)
		fputs("# the benchmark cpu was not measured: o is part of L\n", stream);
	if (params->guesses_S)
		fputs("# S: the size up to which the receiver overlaps\n", stream);
}

int overlap_params_write(FILE *stream, const struct overlap_findings *of, struct error *err)
{
	struct overlap_params params;
	char path[256];

	TRY(overlap_params_find(of, &params, err));
	fprintf(stream, "# LogGPS parameters from %s, by llamp-measure report (%s %s)\n",
		text_show(of->file.path, path, sizeof path), PROJECT_NAME, PROJECT_VERSION);
	write_remarks(stream, &params);
	if (params.of.L_ns > 0)
		write_ns(stream, "L", params.of.L_ns, 3);
	else
		fputs("unknown: L # MPI_Send takes as long as the message: give llamp -L, or replace this line by"
		      " \"L: TIME\"\n",
		      stream);
	write_ns(stream, "o", params.of.o_ns, 3);
	write_ns(stream, "G", params.of.G_ns, 6);
	if (params.of.S == NO_THRESHOLD)
		fputs("S: none\n", stream);
	else
		fprintf(stream, "S: %" PRIu64 "\n", params.of.S);
	fputs("# share of a message that moves while the rank computes, by size up to:\n", stream);
	TRY(write_shares(stream, &of->file, BENCH_SENDER, err));
	return write_shares(stream, &of->file, BENCH_RECEIVER, err);
}
