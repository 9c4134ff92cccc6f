/* Table of a shown log: cells, the calls of all ranks by function and size. */
#include "usage/log/function_names.h"
#include "usage/show/show_tables.h"

#include "common/units.h"

#include <inttypes.h>
#include <math.h>

static const struct report_field show_cell_fields[] = {
	{"function", "function", VALUE_NAME, .width = 14},
	{"size_least", NULL, VALUE_COUNT, .meaning = "Bytes of a call; requests of a completion"},
	{"size_most", NULL, VALUE_COUNT, .flags = FIELD_NULL},
	{NULL, "size", VALUE_NAME, .width = 13, .right = true},
	{"comm_most", "ranks", VALUE_COUNT, .width = 7, .flags = FIELD_NULL,
	 .meaning = "Greatest size of the communicator, a power of two; null: not known"},
	{"place", "place", VALUE_NAME, .width = 6, .flags = FIELD_NULL, .left = true},
	{"failed", NULL, VALUE_TRUTH, .meaning = "Whether the calls returned an error"},
	{"calls", "calls", VALUE_COUNT, .width = 9},
	{"bytes", NULL, .kind = VALUE_BYTES},
	{"moved", NULL, .kind = VALUE_BYTES},
	{"ns", "time", VALUE_TIME, .width = 9},
	{"mean_ns", "mean", VALUE_NS, .width = 9, .flags = FIELD_NULL},
	{"least_ns", "least", VALUE_TIME, .width = 9, .flags = FIELD_NULL},
	{"most_ns", "most", VALUE_TIME, .width = 9, .flags = FIELD_NULL},
	{"rank_most_ns", NULL, VALUE_TIME, .meaning = "Of the rank that spent most in the cell"},
	{"rank_count", NULL, VALUE_COUNT, .meaning = "Ranks that have the cell"},
	{"below_2us", NULL, VALUE_COUNT, .meaning = "Calls shorter than 2^11 ns"},
	{"below_8us", NULL, VALUE_COUNT, .meaning = "Calls from 2^11 ns to 2^13 ns"},
	{"below_33us", NULL, VALUE_COUNT, .meaning = "Calls from 2^13 ns to 2^15 ns"},
	{"below_131us", NULL, VALUE_COUNT, .meaning = "Calls from 2^15 ns to 2^17 ns"},
	{"below_524us", NULL, VALUE_COUNT, .meaning = "Calls from 2^17 ns to 2^19 ns"},
	{"below_2ms", NULL, VALUE_COUNT, .meaning = "Calls from 2^19 ns to 2^21 ns"},
	{"below_8ms", NULL, VALUE_COUNT, .meaning = "Calls from 2^21 ns to 2^23 ns"},
	{"longer", NULL, VALUE_COUNT, .meaning = "Calls of 2^23 ns or more"},
	{0},
};

static const char *const place_names[USAGE_PLACES] = {[USAGE_ANYWHERE] = NULL,
						      [USAGE_SAME_NODE] = "same node",
						      [USAGE_OTHER_NODE] = "other node"};

/* "256 B", "256 B-512 B" for what is between them. */
static const char *size_text(const struct usage_key *key, char *text, size_t room)
{
	const uint64_t least = usage_class_least(key->size_class),
		       most = usage_class_most(key->size_class);
	char low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];

	if (key->function < MPI_FUNCTION_COUNT &&
	    mpi_functions[key->function].class == MPI_CLASS_COMPLETION) {
		if (least == most)
			snprintf(text, room, "%" PRIu64 " request%s", least, plural(least));
		else
			snprintf(text, room, "%" PRIu64 "-%" PRIu64 " requests", least, most);
		return text;
	}
	if (least == most)
		return format_bytes((double)least, text);
	snprintf(text, room, "%s-%s", format_bytes((double)(least - 1), low),
		 format_bytes((double)most + 1, high));
	return text;
}

static void put_key(struct report_row *row, const struct usage_key *key)
{
	const uint64_t most = usage_class_most(key->size_class);
	char size[2 * UNIT_TEXT_BYTES];

	put_name(row, usage_function_name(key->function));
	put_count(row, usage_class_least(key->size_class));
	put_count_or_none(row, most, most != UINT64_MAX);
	put_name(row, size_text(key, size, sizeof size));
	put_count_or_none(row, usage_comm_most(key->comm_class), key->comm_class > 0);
	put_name(row, place_names[key->place]);
	put_truth(row, key->failed);
}

static void show_cell_row(struct report_row *row, const void *data, size_t number)
{
	const struct job_cell *job = &((const struct show *)data)->log->cells.items[number];
	const struct usage_cell *cell = &job->cell;
	const bool timed = cell->least != USAGE_UNKNOWN;

	put_key(row, &cell->key);
	put_count(row, cell->calls);
	put_count(row, cell->bytes);
	put_count(row, cell->moved);
	put_count(row, cell->ticks);
	put_number(row, cell->calls ? (double)cell->ticks / (double)cell->calls : NAN);
	put_count_or_none(row, cell->least, timed);
	put_count_or_none(row, cell->most, timed);
	put_count(row, job->rank_most_ns);
	put_count(row, job->ranks);
	for (unsigned i = 0; i < USAGE_TIME_BINS; i++)
		put_count(row, cell->bins[i]);
}

static report_weight time_of_cell(const void *data, size_t number)
{
	return ((const struct show *)data)->log->cells.items[number].cell.ticks;
}

void show_cells(struct report *report, const struct show *show)
{
	enum { MOST_CELLS = 10 };

	report_table(report,
		     &(struct report_table){
			     "cells", .title = "calls of all ranks by size",
			     .meaning = "Calls of all ranks of one function, class of sizes "
					"and class of communicators",
			     .fields = show_cell_fields, .row = show_cell_row, .data = show,
			     .count = show->log->cells.count, .most = MOST_CELLS,
			     .weight = time_of_cell, .counts_rest = true,
			     .lists_all = "--format json"});
}
