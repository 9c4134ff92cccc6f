#include "measure/report/overlap_print.h"

#include "common/units.h"
#include "measure/cells/ratio.h"
#include "measure/report/overlap_report.h"
#include "measure/report/overlap_tables.h"

#include <string.h>

/* "1.2 us (1.1 us to 1.3 us)": median and its interval. */
static void print_spread(const struct report *report, const char *label,
			 const struct spread *spread)
{
	char median[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];

	if (spread->count)
		report_line(report, label, "%s (%s to %s)", format_time(spread->median, 4, median),
			    format_time(spread->low, 4, low), format_time(spread->high, 4, high));
}

static void print_ratio(const struct report *report, const struct cell *cell)
{
	const bool loaded = cell->spec.bench == BENCH_NLOAD;
	char ratio[UNIT_TEXT_BYTES], error[UNIT_TEXT_BYTES], seq[UNIT_TEXT_BYTES];

	report_line(report, loaded ? "slowdown" : "ratio", "%s +- %s%s%s",
		    format_number(loaded ? cell_slowdown(cell) : cell_ratio(cell), 3, ratio),
		    format_number(cell_ratio_error(cell), 2, error),
		    loaded ? "" : "; of the whole sequence ",
		    loaded ? "" : format_number(cell_ratio_seq(cell), 3, seq));
}

static void print_cell(const struct report *report, const struct cell *cell)
{
	char like[LIKE_TEXT_BYTES], bytes[UNIT_TEXT_BYTES];
	char times[4][UNIT_TEXT_BYTES];

	if (cell->spec.bench == BENCH_NLOAD)
		report_line(report, "cell", "%s, %s", like_text(&cell->spec, like),
			    format_bytes((double)cell->spec.bytes, bytes));
	else
		report_line(report, "cell", "%s, %s, computation %s", like_text(&cell->spec, like),
			    format_bytes((double)cell->spec.bytes, bytes),
			    format_time(cell->spec.compute_ns, 4, times[3]));
	report_line(report, "T_measured", "%s", format_time(cell_measured_ns(cell), 4, times[3]));
	print_spread(report, "T_comm", &cell->comm);
	print_spread(report, "T_comp", &cell->comp);
	print_spread(report, "sequence", &cell->full);
	print_spread(report, "latency", &cell->latency);
	print_spread(report, "blocking", &cell->blocking);
	print_ratio(report, cell);
	if (cell->compute_ns > 0)
		report_line(report, "calls", "begin %s, computation %s, complete %s",
			    format_time(cell->post_ns, 4, times[0]),
			    format_time(cell->compute_ns, 4, times[1]),
			    format_time(cell->complete_ns, 4, times[2]));
	report_line(report, "rounds", "%u, %u rejected", cell->rounds, cell->rejected);
}

static int print_report(struct report *report, const struct overlap_files *files, struct error *err)
{
	struct progress_gains gains;
	int result;

	TRY(progress_gains_find(&gains, files, err));
	result = overlap_report(report, files, &gains, err);
	progress_gains_release(&gains);
	return result;
}

int overlap_print(FILE *out, FILE *cells, bool single, struct error *err)
{
	struct report report = {.stream = out, .format = REPORT_TEXT};
	struct overlap_files files;
	char path[64], *paths[] = {path};
	int result = 0;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(cells));
	TRY(overlap_files_read(&files, paths, 1, err));
	snprintf(files.items[0].file.path, strlen(path) + 1, "no file");
	if (single && files.items[0].file.cells.count == 1)
		print_cell(&report, &files.items[0].file.cells.items[0]);
	else
		result = print_report(&report, &files, err);
	overlap_files_release(&files);
	return result;
}
