#include "trace/flow/file/flow_file.h"

#include "common/hash.h"
#include "trace/flow/file/flow_sections.h"
#include "trace/flow/flow_parts.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct flow_section {
	struct flow_cursor cursor;
	void *unpacked;
	size_t begin; /* in the file */
};

struct flow_reading {
	struct flow *flow;
	bool with_data;
	const uint8_t *begin;
	struct flow_cursor cursor;
	struct flow_section sections[SECTIONS];
};

static int damaged_at(const struct flow_reading *reading, size_t place, const char *what,
		      struct error *err)
{
	(void)reading;
	return error_set(err, STATUS_DATA, "damaged at byte %zu: %s", place, what);
}

/* Read the next section, check it, and unpack it unless it is the data. */
static int read_section(struct flow_reading *reading, unsigned expected, struct error *err)
{
	struct flow_section *section = &reading->sections[expected];
	struct flow_cursor *cursor = &reading->cursor;
	const uint8_t *begin = cursor->at, *checksum;
	const uint64_t number = flow_get(cursor), raw_count = flow_get(cursor);
	const struct flow_cursor stored = flow_get_block(cursor);
	uint64_t sum;

	section->begin = (size_t)(begin - reading->begin);
	sum = hash_bytes(begin, (size_t)(cursor->at - begin));
	checksum = flow_get_bytes(cursor, FLOW_CHECKSUM_BYTES);
	if (!checksum || memcmp(checksum, &sum, sizeof sum) != 0)
		return damaged_at(reading, section->begin, "wrong checksum, or cut off", err);
	if (number != expected || raw_count > SIZE_MAX / 2)
		return damaged_at(reading, section->begin, "not the section that is expected", err);
	if (flow_unpack(&(struct flow_packed){stored.at, flow_left(&stored), (size_t)raw_count},
			&section->cursor, &section->unpacked, err) < 0)
		return damaged_at(reading, section->begin, "cannot be decompressed", err);
	return 0;
}

static int read_sections(struct flow_reading *reading, struct error *err)
{
	const uint8_t *begin = flow_get_bytes(&reading->cursor, FLOW_MAGIC_BYTES);
	const uint8_t *version = flow_get_bytes(&reading->cursor, 2);

	if (!begin || memcmp(begin, FLOW_MAGIC, FLOW_MAGIC_BYTES) != 0)
		return error_set(err, STATUS_DATA, "is not an event flow file");
	if (!version || (version[0] ^ version[1]) != 0xff)
		return damaged_at(reading, FLOW_MAGIC_BYTES, "the version", err);
	if (version[0] != FLOW_VERSION)
		return error_set(err, STATUS_LIMIT,
				 "is of version %u of the format; this program reads version %d",
				 version[0], FLOW_VERSION);
	for (unsigned number = SECTION_STRINGS; number < SECTIONS; number++)
		TRY(read_section(reading, number, err));
	TRY(read_section(reading, SECTION_END, err));
	if (flow_left(&reading->cursor))
		return damaged_at(reading, (size_t)(reading->cursor.at - reading->begin),
				  "bytes after the end", err);
	return 0;
}

static int get_strings(struct flow *flow, struct flow_cursor *cursor, struct error *err)
{
	const uint64_t count = flow_get_most(cursor, flow_left(cursor));

	for (uint64_t i = 0; i < count && !cursor->damaged; i++) {
		const struct flow_cursor text = flow_get_block(cursor);
		uint32_t number;

		TRY(string_table_add(&flow->strings, (const char *)text.at, flow_left(&text),
				     &number, err));
		if (number != i || memchr(text.at, 0, flow_left(&text)))
			cursor->damaged = true;
	}
	return 0;
}

static int get_group(struct flow *flow, struct flow_group *group, struct flow_cursor *cursor,
		     struct error *err)
{
	uint64_t count;

	group->id = (uint32_t)flow_get_most(cursor, UINT32_MAX);
	count = flow_get_most(cursor, flow->world.rank_count);
	for (uint64_t i = 0; i < count && !cursor->damaged; i++) {
		const uint32_t rank = (uint32_t)flow_get_most(cursor, flow->world.rank_count - 1);

		TRY(array_push(&group->members, rank, err));
	}
	return 0;
}

static int get_run(struct flow *flow, struct flow_cursor *cursor, struct error *err)
{
	uint64_t *left_out = (uint64_t *)&flow->left_out, groups;

	flow->times = (enum flow_times)flow_get_most(cursor, FLOW_TIMES_ALL);
	flow->level = (enum flow_level)flow_get_most(cursor, FLOW_BY_SITE);
	flow->folds = (unsigned)flow_get_most(cursor, UINT8_MAX);
	flow->calls = flow_get(cursor);
	for (size_t i = 0; i < sizeof flow->left_out / sizeof *left_out; i++)
		left_out[i] = flow_get(cursor);
	TRY(flow_world_get(flow, cursor, err));
	flow->world.synthetic_times = flow->times != FLOW_TIMES_ALL;
	groups = flow_get_most(cursor, flow_left(cursor));
	for (uint64_t g = 0; g < groups && !cursor->damaged; g++) {
		TRY(array_push(&flow->groups, (struct flow_group){0}, err));
		TRY(get_group(flow, &flow->groups.items[g], cursor, err));
	}
	return 0;
}

static int get_signatures(struct flow *flow, struct flow_cursor *cursor, struct error *err)
{
	const uint64_t count = flow_get_most(cursor, flow_left(cursor));

	for (uint64_t i = 0; i < count && !cursor->damaged; i++) {
		const struct flow_cursor bytes = flow_get_block(cursor);
		uint32_t number;

		TRY(string_table_add(&flow->signatures, (const char *)bytes.at, flow_left(&bytes),
				     &number, err));
		if (number != i)
			cursor->damaged = true;
		else
			TRY(array_push(&flow->signature_sizes, (uint32_t)flow_left(&bytes), err));
	}
	return 0;
}

static int get_graphs(struct flow *flow, struct flow_cursor *cursor, struct error *err)
{
	const uint64_t count = flow_get_most(cursor, flow_left(cursor));

	for (uint64_t i = 0; i < count && !cursor->damaged; i++) {
		TRY(array_push(&flow->graphs, (struct flow_graph){0}, err));
		TRY(flow_graph_get(flow, &flow->graphs.items[i], cursor, err));
	}
	return 0;
}

/* Read ids below `limit`. */
static int get_ids(struct flow_ids *ids, size_t limit, struct flow_cursor *cursor,
		   struct error *err)
{
	uint64_t left = flow_get_most(cursor, flow_left(cursor));

	for (; left && !cursor->damaged; left--)
		TRY(array_push(ids, flow_get_below(cursor, limit), err));
	return 0;
}

/* data: NULL if only the sizes are known. */
static void get_packed(struct flow_cursor *cursor, struct flow_cursor *data,
		       struct flow_packed *packed)
{
	packed->raw_count = (size_t)flow_get_most(cursor, SIZE_MAX / 2);
	packed->count = (size_t)flow_get_most(cursor, packed->raw_count);
	packed->bytes = data ? flow_get_bytes(data, packed->count) : NULL;
	if (data && data->damaged)
		cursor->damaged = true;
}

static int get_thread(const struct flow *flow, struct flow_thread *thread,
		      struct flow_cursor *cursor, struct flow_cursor *data, struct error *err)
{
	thread->graph = flow_get_below(cursor, flow->graphs.count);
	thread->calls = flow_get(cursor);
	thread->begin_ns = flow_get_most(cursor, INT64_MAX);
	get_packed(cursor, data, &thread->values);
	get_packed(cursor, data, &thread->times);
	return get_ids(&thread->contents, flow->signatures.starts.count, cursor, err);
}

/* Check that the rank has as many calls, and the header so many visits. */
static bool is_window(const struct flow *flow, const struct flow_rank *rank,
		      const struct flow_window *window)
{
	const struct flow_graph *graph;
	uint64_t calls = 0;

	for (size_t t = 0; t < rank->threads.count; t++)
		calls += rank->threads.items[t].calls;
	if (window->first_call > calls || window->calls > calls - window->first_call ||
	    !window->round)
		return false;
	if (!window->visits)
		return !window->header && !window->first_visit;
	if (!rank->threads.count)
		return false;
	graph = &flow->graphs.items[rank->threads.items[0].graph];
	return window->header < graph->nodes.count &&
	       window->visits <= graph->nodes.items[window->header].visits &&
	       window->first_visit <= graph->nodes.items[window->header].visits - window->visits;
}

static int get_recorded(const struct flow *flow, struct flow_rank *rank, struct flow_cursor *cursor,
			struct error *err)
{
	uint64_t count = flow_get_most(cursor, flow_left(cursor)), before = 0;

	for (; count && !cursor->damaged; count--) {
		struct flow_window window;

		window.first_call = before + flow_get_most(cursor, INT64_MAX);
		window.calls = flow_get_most(cursor, INT64_MAX);
		window.header = (uint32_t)flow_get_most(cursor, UINT32_MAX);
		window.first_visit = flow_get(cursor);
		window.visits = flow_get(cursor);
		window.round = (uint32_t)flow_get_most(cursor, UINT32_MAX);
		before = window.first_call + window.calls;
		if (!is_window(flow, rank, &window))
			cursor->damaged = true;
		TRY(array_push(&rank->recorded, window, err));
	}
	return 0;
}

static int get_rank(struct flow *flow, struct flow_rank *rank, struct flow_cursor *cursor,
		    struct flow_cursor *data, struct error *err)
{
	uint64_t threads;

	rank->lossy = flow_get_most(cursor, RANK_LOSSY);
	TRY(get_ids(&rank->comms, (size_t)UINT32_MAX + 1, cursor, err));
	TRY(get_ids(&rank->windows, (size_t)UINT32_MAX + 1, cursor, err));
	TRY(get_ids(&rank->groups, (size_t)UINT32_MAX + 1, cursor, err));
	get_packed(cursor, data, &rank->order);
	get_packed(cursor, data, &rank->requests);
	threads = flow_get_most(cursor, flow_left(cursor));
	for (uint64_t t = 0; t < threads && !cursor->damaged; t++) {
		TRY(array_push(&rank->threads, (struct flow_thread){0}, err));
		TRY(get_thread(flow, &rank->threads.items[t], cursor, data, err));
	}
	return cursor->damaged ? 0 : get_recorded(flow, rank, cursor, err);
}

static int get_ranks(struct flow *flow, struct flow_cursor *cursor, struct flow_cursor *data,
		     struct error *err)
{
	const uint64_t first = flow_get_most(cursor, flow->world.rank_count);
	const uint64_t count = flow_get_most(cursor, flow->world.rank_count - first);

	/* A rank has a byte or more. */
	if (count > flow_left(cursor))
		cursor->damaged = true;
	if (cursor->damaged)
		return 0;
	flow->first_rank = (uint32_t)first;
	TRY(flow_add_ranks(flow, (uint32_t)count, err));
	for (uint32_t r = 0; r < count && !cursor->damaged; r++)
		TRY(get_rank(flow, &flow->ranks[r], cursor, data, err));
	return 0;
}

/* Read what a section says; all of it has to be read. */
static int read_part(struct flow_reading *reading, unsigned number,
		     int (*get)(struct flow *, struct flow_cursor *, struct error *),
		     struct error *err)
{
	struct flow_section *section = &reading->sections[number];

	if (get(reading->flow, &section->cursor, err) < 0)
		return err->status == STATUS_DATA ? error_prefix(err, "at byte %zu", section->begin)
						  : -1;
	if (section->cursor.damaged || flow_left(&section->cursor))
		return damaged_at(reading, section->begin, "values that cannot be", err);
	return 0;
}

static int read_parts(struct flow_reading *reading, struct error *err)
{
	struct flow_section *ranks = &reading->sections[SECTION_RANKS],
			    *data = &reading->sections[SECTION_DATA];

	TRY(read_sections(reading, err));
	TRY(read_part(reading, SECTION_STRINGS, get_strings, err));
	TRY(read_part(reading, SECTION_RUN, get_run, err));
	TRY(read_part(reading, SECTION_SIGNATURES, get_signatures, err));
	TRY(read_part(reading, SECTION_GRAPHS, get_graphs, err));
	TRY(get_ranks(reading->flow, &ranks->cursor, reading->with_data ? &data->cursor : NULL,
		      err));
	if (ranks->cursor.damaged || flow_left(&ranks->cursor) || flow_left(&data->cursor))
		return damaged_at(reading, ranks->begin, "values that cannot be", err);
	return 0;
}

/* Read bytes that the flow owns. */
static int read_bytes(struct flow *flow, const uint8_t *bytes, size_t count, bool with_data,
		      struct error *err)
{
	struct flow_reading reading = {.flow = flow,
				       .with_data = with_data,
				       .begin = bytes,
				       .cursor = flow_cursor(bytes, count)};
	const int result = read_parts(&reading, err);

	for (unsigned i = 0; i < SECTIONS; i++)
		free(reading.sections[i].unpacked);
	flow->file_bytes = count;
	return result;
}

static int read_file(struct flow *flow, const char *path, struct error *err)
{
	struct input *input;

	TRY(allocate(&input, 1, sizeof *input, err));
	if (input_open(input, path, err) < 0) {
		free(input);
		return -1;
	}
	if (array_push(&flow->inputs, input, err) < 0) {
		input_release(input);
		free(input);
		return -1;
	}
	return read_bytes(flow, input->bytes, input->count, true, err) < 0
		       ? error_prefix(err, "%s", path)
		       : 0;
}

/* Release the flow after a failure. */
static int read_ended(struct flow **made, int result)
{
	if (result < 0) {
		flow_release(*made);
		*made = NULL;
	}
	return result;
}

int flow_read_part(struct flow **part, const char *path, struct error *err)
{
	TRY(flow_make(part, err));
	return read_ended(part, read_file(*part, path, err));
}

int flow_read(struct flow **made, const char *path, struct error *err)
{
	TRY(flow_read_part(made, path, err));
	if ((*made)->rank_count == (*made)->world.rank_count)
		return 0;
	return read_ended(made, error_set(err, STATUS_DATA, "%s: has only %u of %u ranks", path,
					  (*made)->rank_count, (*made)->world.rank_count));
}

static int from_bytes(struct flow **part, struct flow_bytes *bytes, bool with_data,
		      struct error *err)
{
	const uint8_t *items = bytes->items;
	const size_t count = bytes->count;

	*part = NULL;
	if (flow_make(part, err) < 0 ||
	    array_push(&(*part)->owned, (void *)bytes->items, err) < 0) {
		array_release(bytes);
		return read_ended(part, -1);
	}
	*bytes = (struct flow_bytes){0};
	return read_ended(part, read_bytes(*part, items, count, with_data, err));
}

int flow_from_bytes(struct flow **part, struct flow_bytes *bytes, struct error *err)
{
	return from_bytes(part, bytes, true, err);
}

int flow_tables_from_bytes(struct flow **part, struct flow_bytes *bytes, struct error *err)
{
	return from_bytes(part, bytes, false, err);
}

bool flow_is_file(const char *path)
{
	uint8_t begin[FLOW_MAGIC_BYTES];
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	bool is_one;

	if (file < 0)
		return false;
	is_one = read(file, begin, sizeof begin) == sizeof begin &&
		 !memcmp(begin, FLOW_MAGIC, FLOW_MAGIC_BYTES);
	close(file);
	return is_one;
}
