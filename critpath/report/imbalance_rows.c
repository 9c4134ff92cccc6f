#include "critpath/report/imbalance_rows.h"

#include "critpath/match/site_texts.h"

/* Time of a call on the critical path. */
static uint64_t critical_ns(const struct findings *findings, uint32_t rank, uint32_t call)
{
	const struct walk *walk = findings->walk;
	const struct measured_call *times = &findings->run->ranks[rank].calls.items[call];
	const uint64_t from = measured_since_begin(findings->run, times->enter_ns);
	const uint64_t to = measured_since_begin(findings->run, times->leave_ns);
	size_t low = 0, high = walk->segments.count;
	uint64_t sum = 0;

	/* The first segment that ends after the start of the call. */
	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (walk->segments.items[middle].end_ns <= from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < walk->segments.count && walk->segments.items[low].start_ns < to; low++) {
		const struct walk_segment *segment = &walk->segments.items[low];

		if (segment->rank == rank && segment->call == call &&
		    segment->category == WALK_CALL)
			sum += segment->end_ns - segment->start_ns;
	}
	return sum;
}

/* Find the communicator of a collective, or of what a call waited for. */
static uint32_t comm_of(const struct imbalance_rows *rows, uint32_t rank, uint32_t call)
{
	const uint32_t index = rows->imbalance->instance_at[rank][call];
	const struct wait *wait = wait_at(rows->findings->waits, rank, call);

	if (index != NO_MATCH)
		return rows->findings->run->instances.items[index].comm;
	return wait->kind != WAIT_NONE ? wait->comm : NO_COMM;
}

/* Whether the next call is reported; if not, go on behind it. */
static bool is_next(struct imbalance_rows *rows)
{
	const struct measured_run *run = rows->findings->run;
	const struct measured_rank *rank = &run->ranks[rows->rank];

	if (rows->next == rank->calls.count) {
		rows->rank++;
		rows->next = 0;
		return false;
	}
	if (measured_touches(run, &rank->calls.items[rows->next]))
		return true;
	rows->next++;
	return false;
}

static void make_call(void *data, size_t number, void *row)
{
	struct imbalance_rows *rows = data;
	const struct measured_run *run = rows->findings->run;
	const struct measured_call *call;
	struct time_span part;
	uint32_t at;

	(void)number;
	while (!is_next(rows))
		;
	at = rows->next++;
	call = &run->ranks[rows->rank].calls.items[at];
	part = time_span_common(measured_slice(run),
				(struct time_span){call->enter_ns, call->leave_ns});
	*(struct imbalance_call *)row = (struct imbalance_call){
		.rank = rows->rank,
		.thread = call->thread,
		.call = at,
		.function = call->function,
		.comm = comm_of(rows, rows->rank, at),
		.enter_ns = part.end_ns ? part.begin_ns : call->enter_ns,
		.leave_ns = part.end_ns ? part.end_ns : call->leave_ns,
		.parts = imbalance_of_call(rows->imbalance, rows->rank, at),
		.critical_ns = critical_ns(rows->findings, rows->rank, at),
	};
}

static void make_instance(void *data, size_t number, void *row)
{
	const struct imbalance_rows *rows = data;
	struct imbalance_instance *made = row;

	*made = imbalance_row(rows->imbalance, rows->instances.items[number]);
	if (rows->text)
		made->last_site = rows->last_sites[number];
}

static int list_instances(struct imbalance_rows *rows, struct error *err)
{
	for (uint32_t i = 0; i < rows->findings->run->instances.count; i++)
		if (imbalance_lists(rows->imbalance, i))
			TRY(array_push(&rows->instances, i, err));
	return 0;
}

static report_weight waits_of(const void *data, size_t number)
{
	const struct imbalance_rows *rows = data;
	const struct call_parts *parts = &rows->imbalance->instances[rows->instances.items[number]];

	return parts->before_ns + parts->after_ns;
}

/* Keep the instances that wait longest, in order. */
static void keep_longest(struct imbalance_rows *rows)
{
	size_t chosen[REPORT_MOST_ROWS], kept = 0;
	const size_t count = report_largest(rows->instances.count, waits_of, rows,
					    RUN_MOST_ROWS, chosen);

	for (size_t i = 0; i < rows->instances.count; i++)
		for (size_t k = 0; k < count; k++)
			if (chosen[k] == i)
				rows->instances.items[kept++] = rows->instances.items[i];
	rows->instances.count = kept;
}

static uint32_t *site_of(void *data, size_t number, uint32_t *rank, uint32_t *call)
{
	struct imbalance_rows *rows = data;
	const struct measured_instance *instance =
		&rows->findings->run->instances.items[rows->instances.items[number]];

	*rank = instance->last_rank;
	*call = instance->last.call;
	return &rows->last_sites[number];
}

/* Keep the longest instances, with call sites. */
static int choose_text(struct imbalance_rows *rows, struct dist *dist, struct error *err)
{
	rows->text = true;
	keep_longest(rows);
	return row_sites_find(rows->findings->run, dist, site_of, rows, rows->instances.count, err);
}

static size_t count_calls(const struct measured_run *run)
{
	size_t sum = 0;

	for (uint32_t r = run->own_first; r < run->own_end; r++)
		for (size_t c = 0; c < run->ranks[r].calls.count; c++)
			sum += measured_touches(run, &run->ranks[r].calls.items[c]);
	return sum;
}

int imbalance_rows_open(struct imbalance_rows *rows, enum report_format format,
			enum imbalance_table table, const struct findings *findings,
			const struct imbalance *imbalance, struct dist *dist, struct error *err)
{
	const bool calls = format == REPORT_CSV && table == IMBALANCE_CALLS;
	const bool instances = format != REPORT_CSV || table == IMBALANCE_INSTANCES;
	int result = 0;

	*rows = (struct imbalance_rows){.findings = findings, .imbalance = imbalance};
	/* Others send only what process 0 asks for. */
	if (instances)
		result = list_instances(rows, err);
	result = dist_agree(dist, result, err);
	if (result == 0 && format == REPORT_TEXT)
		result = choose_text(rows, dist, err);
	rows->rank = findings->run->own_first;
	rows->rows = (struct dist_rows){
		.dist = dist,
		.row_bytes = calls ? sizeof(struct imbalance_call)
				   : sizeof(struct imbalance_instance),
		.count = calls ? count_calls(findings->run) : rows->instances.count,
		.make = calls ? make_call : make_instance,
		.data = rows,
	};
	if (result == 0)
		result = dist_rows_open(&rows->rows, err);
	if (result < 0)
		imbalance_rows_close(rows);
	return result;
}

void imbalance_rows_close(struct imbalance_rows *rows)
{
	dist_rows_close(&rows->rows);
	array_release(&rows->instances);
}
