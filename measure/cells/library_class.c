/* What kind of library a file of the overlap benchmark shows. */
#include "measure/cells/ratio.h"
#include "measure/cells/verdict.h"

#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Medians over the messages above the threshold, and over those up to it. */
struct medians {
	double above[2], below[2]; /* ratio_seq of sender and receiver */
	double timed[2];	   /* the same with the kernel `time`, above */
	double processors;	   /* that the process of rank 0 uses, above */
	double stolen;		   /* from the computation, as a share of T_comm, above */
};

static const double least_processors = 1.2, least_stolen = .1;

uint64_t library_least_above(const struct cells_header *header)
{
	if (!header->S_high)
		return 65536;
	return header->S_high == UINT64_MAX ? 0 : header->S_high;
}

/* Write a size, with all digits unless it is a whole number of KiB. */
static const char *exact_bytes(uint64_t bytes, char text[static UNIT_TEXT_BYTES])
{
	if (bytes % 1024 == 0)
		return format_bytes((double)bytes, text);
	snprintf(text, UNIT_TEXT_BYTES, "%" PRIu64 " B", bytes);
	return text;
}

const char *library_sizes(const struct cells_header *header, bool above,
			  char text[static LIBRARY_SIZES_BYTES])
{
	char bytes[UNIT_TEXT_BYTES];

	if (header->S_high == UINT64_MAX)
		snprintf(text, LIBRARY_SIZES_BYTES, "all");
	else if (header->S_high)
		snprintf(text, LIBRARY_SIZES_BYTES, "%s %s", above ? "above" : "up to",
			 exact_bytes(header->S_low, bytes));
	else
		snprintf(text, LIBRARY_SIZES_BYTES, "%s %s", above ? "from" : "below",
			 exact_bytes(library_least_above(header), bytes));
	return text;
}

/* A median over cells that decide, of messages above or up to the threshold. */
static int median_of(const struct cells_file *file, enum bench bench, enum kernel kernel,
		     bool above,
		     double (*value)(const struct cells_file *file, const struct cell *cell),
		     double *median, struct error *err)
{
	struct samples values = {0};
	int result = 0;

	for (size_t i = 0; i < file->cells.count && result == 0; i++) {
		const struct cell *cell = &file->cells.items[i];

		if (cell_is_plain(cell, bench, kernel) && cell_decides(cell) &&
		    (cell->spec.bytes >= library_least_above(&file->header)) == above)
			result = array_push(&values, value(file, cell), err);
	}
	*median = samples_summary(&values).median;
	array_release(&values);
	return result;
}

static double value_ratio(const struct cells_file *file, const struct cell *cell)
{
	(void)file;
	return cell_ratio_seq(cell);
}

static double value_processors(const struct cells_file *file, const struct cell *cell)
{
	(void)file;
	return cell->full.median > 0 ? cell->cpu_ns / cell->full.median : NAN;
}

static double value_stolen(const struct cells_file *file, const struct cell *cell)
{
	return cell->comm.median > 0 ? cell_stolen_ns(file, cell) / cell->comm.median : NAN;
}

static int medians_find(const struct cells_file *file, struct medians *of, struct error *err)
{
	static const enum bench sides[2] = {BENCH_SENDER, BENCH_RECEIVER};
	const enum kernel kernel = plain_kernel(file, BENCH_RECEIVER);

	for (unsigned i = 0; i < 2; i++) {
		const enum kernel plain = plain_kernel(file, sides[i]);

		TRY(median_of(file, sides[i], plain, true, value_ratio, &of->above[i], err));
		TRY(median_of(file, sides[i], plain, false, value_ratio, &of->below[i], err));
		TRY(median_of(file, sides[i], KERNEL_TIME, true, value_ratio, &of->timed[i], err));
	}
	TRY(median_of(file, BENCH_RECEIVER, kernel, true, value_processors, &of->processors, err));
	return median_of(file, BENCH_RECEIVER, kernel, true, value_stolen, &of->stolen, err);
}

/* ---------------------------------------------------------------------- names */

/* Whether messages progress, even if they take the processor from the computation. */
static enum verdict verdict_on_side(const struct medians *of, unsigned side)
{
	const enum verdict verdict = verdict_of(of->above[side]);

	return verdict == VERDICT_PARTLY && verdict_of(of->timed[side]) == VERDICT_OVERLAPPED
		       ? VERDICT_OVERLAPPED
		       : verdict;
}

static const char *name_of(const struct medians *of, bool one_host)
{
	const enum verdict sender = verdict_on_side(of, 0), receiver = verdict_on_side(of, 1);

	if (sender == VERDICT_NONE || receiver == VERDICT_NONE)
		return "unknown";
	if (sender == VERDICT_HARMFUL || receiver == VERDICT_HARMFUL)
		return "harmful";
	if (sender == VERDICT_OVERLAPPED && receiver == VERDICT_OVERLAPPED) {
		if (of->processors >= least_processors || of->stolen >= least_stolen)
			return "progress thread";
		return one_host ? "copy by the peer" : "network card";
	}
	if (sender == VERDICT_OVERLAPPED)
		return "in calls of the receiver";
	if (receiver == VERDICT_OVERLAPPED)
		return "in calls of the sender";
	return sender == VERDICT_SERIALISED && receiver == VERDICT_SERIALISED ? "in calls only"
									      : "mixed";
}

/* ------------------------------------------------------------------- evidence */

__attribute__((format(printf, 2, 3))) static void evidence_add(struct library_class *class,
							       const char *format, ...)
{
	const size_t length = strlen(class->evidence);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(class->evidence + length, sizeof class->evidence - length, format, arguments);
	va_end(arguments);
}

/* Add the ratios of both sides: "of 64 KiB and more: sender 0.97, receiver 1". */
static void add_ratios(struct library_class *class, const double ratios[2], const char *sizes)
{
	static const char *const sides[2] = {"sender", "receiver"};
	const char *separator = ": ";

	if (isnan(ratios[0]) && isnan(ratios[1]))
		return;
	evidence_add(class, "%s%s", class->evidence[0] ? "; " : "", sizes);
	for (unsigned i = 0; i < 2; i++) {
		if (!isnan(ratios[i])) {
			evidence_add(class, "%s%s %.2g", separator, sides[i],
				     round_digits(ratios[i]));
			separator = ", ";
		}
	}
}

static void write_evidence(const struct cells_file *file, const struct medians *of,
			   struct library_class *class)
{
	char sizes[LIBRARY_SIZES_BYTES];

	add_ratios(class, of->above, library_sizes(&file->header, true, sizes));
	add_ratios(class, of->below, library_sizes(&file->header, false, sizes));
	if (!isnan(of->processors))
		evidence_add(class, "; the process takes %.3g times the processor time of one core",
			     round_digits(of->processors));
	if (!isnan(of->stolen))
		evidence_add(class, "; communication takes %.2g of its time from the computation",
			     round_digits(of->stolen));
	if (!file->header.S_high)
		evidence_add(class, "; the rendezvous threshold is unknown");
}

/* What is no longer as in the paper. */
static const char *changed_since(const struct cells_file *file, const struct medians *of)
{
	const char *transport = file->header.transport ? file->header.transport : "";

	if (file->header.one_host && verdict_of(of->above[0]) == VERDICT_OVERLAPPED)
		return "in 2016 shared memory overlapped worse than any network, as the processor copies; "
		       "today the receiver copies from the sender's memory in one piece, and the sender overlaps";
	if ((strstr(transport, "tcp") || strstr(transport, "TCP")) &&
	    verdict_of(of->above[0]) == VERDICT_SERIALISED)
		return "in 2016 TCP overlapped short computations, as the kernel moved the data; this library moves them in MPI calls "
		       "only";
	return NULL;
}

int library_class_find(const struct cells_file *file, struct library_class *class,
		       struct error *err)
{
	struct medians medians;

	memset(class, 0, sizeof *class);
	TRY(medians_find(file, &medians, err));
	class->name = name_of(&medians, file->header.one_host);
	write_evidence(file, &medians, class);
	class->paper = changed_since(file, &medians);
	return 0;
}
