/* Command eventflow loops: the loops of a run, their nesting, iterations and times. */
#include "eventflow/commands.h"
#include "eventflow/graph/graph_times.h"
#include "eventflow/graph/print_calls.h"
#include "eventflow/loops/iterations.h"

#include <stdlib.h>

/* A loop of the threads that have a graph. */
struct loops_row {
	uint32_t graph, number;
	struct flow_loop loop;
	char *header;
	uint64_t time_ns;	     /* of all these threads */
	struct flow_stat iterations; /* of all these threads; empty without the times of calls */
};

/* Threads with an equal graph: the numbers that tell whether one loop dominates. */
struct loops_class {
	uint32_t graph, outermost;
	uint64_t all_ns, dominant_ns; /* of all these threads */
};

/* The main loop of the threads that have a graph, and its row. */
struct main_row {
	struct main_loop loop;
	size_t row;
};

struct loops_report {
	const struct flow *flow;
	const struct graph_times *times;
	uint32_t rank; /* UINT32_MAX: all */
	ARRAY(struct loops_row) rows;
	ARRAY(struct main_row) mains;
	ARRAY(struct loops_class) classes;
	/* Over all threads. */
	uint64_t threads, outermost, total_ns, all_ns, dominant_ns;
};

static const struct report_field loops_facts[] = {
	{"threads", "threads", .kind = VALUE_COUNT},
	{"outermost", "outermost", VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "Mean number of outermost loops of a thread"},
	{"time_in_all", "in all", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of the time in outermost loops"},
	{"time_in_dominant", "in dominant", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Share of the time in the outermost loop of each thread that takes most"},
	{"run_ns", "run time", VALUE_TIME, .flags = FIELD_NULL, .unit = "ns",
	 .meaning =
		 "Mean of the threads, from the first call to the end of the last one; null without times"},
	{0},
};

static void put_share_or_none(struct report_row *row, uint64_t part, uint64_t whole)
{
	if (whole)
		put_share(row, part, whole);
	else
		put_none(row);
}

static void facts_row(struct report_row *row, const void *data, size_t number)
{
	const struct loops_report *loops = data;

	(void)number;
	put_count(row, loops->threads);
	row_note(row, "outermost loops of a thread");
	if (loops->threads)
		put_number(row, (double)loops->outermost / (double)loops->threads);
	else
		put_none(row);
	row_note(row, "of the time in outermost loops");
	put_share_or_none(row, loops->all_ns, loops->total_ns);
	row_note(row, "of the time in the one that takes most");
	put_share_or_none(row, loops->dominant_ns, loops->total_ns);
	put_count_or_none(row, loops->threads ? loops->total_ns / loops->threads : 0,
			  loops->total_ns);
}

static const struct report_field rank_class_fields[] = {
	{"graph", "graph", VALUE_COUNT, .width = 5,
	 .meaning = "Threads with equal graphs have one"},
	{"rank", "rank", VALUE_COUNT, .width = 6, .meaning = "The first rank that has the graph"},
	{"threads", "threads", VALUE_COUNT, .width = 8, .meaning = "That have the graph"},
	{"run_ns", "run time", VALUE_TIME, .width = 10, .flags = FIELD_NULL, .unit = "ns",
	 .meaning = "Mean of the threads"},
	{"outermost", "outermost", VALUE_COUNT, .width = 10, .meaning = "Outermost loops"},
	{"time_in_all", "in all", VALUE_SHARE, .width = 8, .flags = FIELD_NULL,
	 .meaning = "Share of the time in outermost loops"},
	{"time_in_dominant", "in dominant", VALUE_SHARE, .width = 12, .flags = FIELD_NULL,
	 .meaning = "Share of the time in the outermost loop that takes most"},
	{0},
};

static void rank_class_row(struct report_row *row, const void *data, size_t number)
{
	const struct loops_report *loops = data;
	const struct loops_class *own = &loops->classes.items[number];
	const struct graph_times *times = &loops->times[own->graph];

	put_count(row, own->graph);
	put_count(row, times->rank);
	put_count(row, times->threads);
	put_count_or_none(row, times->total / times->threads, times->total);
	put_count(row, own->outermost);
	put_share_or_none(row, own->all_ns, times->total);
	put_share_or_none(row, own->dominant_ns, times->total);
}

static report_weight class_time(const void *data, size_t number)
{
	const struct loops_report *loops = data;

	return loops->times[loops->classes.items[number].graph].total + 1;
}

static const struct report_field row_fields[] = {
	{"graph", "graph", VALUE_COUNT, .width = 5,
	 .meaning = "Threads with equal graphs have one"},
	{"rank", NULL, VALUE_COUNT, .meaning = "The first rank that has the graph"},
	{"threads", NULL, VALUE_COUNT, .meaning = "That have the graph"},
	{"loop", "loop", VALUE_COUNT, .width = 5, .meaning = "Number in the graph"},
	{"parent", "in", VALUE_COUNT, .width = 5, .flags = FIELD_NULL,
	 .meaning = "The loop around it"},
	{"entries", "entries", VALUE_COUNT, .width = 8,
	 .meaning = "Times that it was begun, on each thread"},
	{"iterations", "iterations", VALUE_COUNT, .width = 11},
	{"trips", "trips", VALUE_NUMBER, .width = 7, .flags = FIELD_NULL,
	 .meaning = "Mean iterations of an entry"},
	{"nodes", "nodes", VALUE_COUNT, .width = 6},
	{"irreducible", NULL, VALUE_TRUTH,
	 .meaning = "Entered at other nodes than its header, too"},
	{"time_ns", "time", VALUE_TIME, .width = 10, .flags = FIELD_NULL, .unit = "ns",
	 .meaning = "Mean of the threads"},
	{"share", "share", VALUE_SHARE, .width = 8, .flags = FIELD_NULL,
	 .meaning = "Of the time of the threads"},
	{"iteration_ns", "iteration", VALUE_TIME, .width = 10, .flags = FIELD_NULL, .unit = "ns",
	 .meaning = "Mean time of an iteration"},
	{"least_ns", "least", VALUE_TIME, .width = 10, .flags = FIELD_NULL, .unit = "ns",
	 .meaning = "Time of the shortest iteration; null without the times of calls"},
	{"most_ns", "most", VALUE_TIME, .width = 10, .flags = FIELD_NULL, .unit = "ns",
	 .meaning = "Time of the longest iteration"},
	{"header", "  header", VALUE_NAME, .left = true,
	 .meaning = "Call with which an iteration begins"},
	{0},
};

static void loops_row(struct report_row *row, const void *data, size_t number)
{
	const struct loops_report *loops = data;
	const struct loops_row *own = &loops->rows.items[number];
	const struct graph_times *times = &loops->times[own->graph];
	char *header = NULL;

	put_count(row, own->graph);
	put_count(row, times->rank);
	put_count(row, times->threads);
	put_count(row, own->number);
	put_count_or_none(row, own->loop.parent, own->loop.parent != NO_LOOP);
	put_count(row, own->loop.entries);
	put_count(row, own->loop.iterations);
	if (own->loop.entries)
		put_number(row, (double)own->loop.iterations / (double)own->loop.entries);
	else
		put_none(row);
	put_count(row, own->loop.nodes);
	put_truth(row, own->loop.irreducible);
	put_count_or_none(row, own->time_ns / times->threads, times->total);
	put_share_or_none(row, own->time_ns, times->total);
	put_count_or_none(row,
			  own->loop.iterations
				  ? own->time_ns / times->threads / own->loop.iterations
				  : 0,
			  times->total && own->loop.iterations);
	put_count_or_none(row, own->iterations.least, own->iterations.count);
	put_count_or_none(row, own->iterations.most, own->iterations.count);
	if (row_in_text(row) &&
	    asprintf(&header, "  %*s%.50s%s", 2 * (int)own->loop.depth, "", own->header,
		     own->loop.irreducible ? " (irreducible)" : "") > 0)
		put_name(row, header);
	else
		put_name(row, own->header);
	free(header);
}

static const struct report_field main_fields[] = {
	{"graph", "graph", VALUE_COUNT, .width = 5},
	{"rank", NULL, VALUE_COUNT, .meaning = "The first rank that has the graph"},
	{"threads", NULL, VALUE_COUNT, .meaning = "That have the graph"},
	{"loop", "loop", VALUE_COUNT, .width = 5, .meaning = "Number in the graph"},
	{"iterations", "iterations", VALUE_COUNT, .width = 11,
	 .meaning = "Of the program: iteration:1 is the first one"},
	{"round", "round", VALUE_COUNT, .width = 6, .flags = FIELD_NULL,
	 .meaning = "Visits of the header in an iteration; none: they differ"},
	{"first_visit", "first", VALUE_COUNT, .width = 6,
	 .meaning = "Visit of the header, from 0, with which the first iteration begins"},
	{"iteration_ns", "iteration", VALUE_TIME, .width = 10, .flags = FIELD_NULL, .unit = "ns",
	 .meaning = "Mean time of an iteration, if all of the loop is in iterations"},
	{"share", "share", VALUE_SHARE, .width = 8, .flags = FIELD_NULL,
	 .meaning = "Of the time of the threads"},
	{"header", "  header", VALUE_NAME, .left = true,
	 .meaning = "Call with which an iteration begins"},
	{0},
};

static void main_row(struct report_row *row, const void *data, size_t number)
{
	const struct loops_report *loops = data;
	const struct main_row *own = &loops->mains.items[number];
	const struct loops_row *loop = &loops->rows.items[own->row];
	const struct graph_times *times = &loops->times[loop->graph];
	const uint64_t iterations = own->loop.iterations;
	char *header = NULL;

	put_count(row, loop->graph);
	put_count(row, times->rank);
	put_count(row, times->threads);
	put_count(row, loop->number);
	put_count(row, iterations);
	put_count_or_none(row, own->loop.round, own->loop.round);
	put_count(row, own->loop.first_visit);
	put_count_or_none(row, iterations ? loop->time_ns / times->threads / iterations : 0,
			  times->total && iterations);
	put_share_or_none(row, loop->time_ns, times->total);
	if (row_in_text(row) && asprintf(&header, "  %.50s", loop->header) > 0)
		put_name(row, header);
	else
		put_name(row, loop->header);
	free(header);
}

static report_weight main_weight(const void *data, size_t number)
{
	const struct loops_report *loops = data;
	const struct main_row *own = &loops->mains.items[number];

	return loops->total_ns ? loops->rows.items[own->row].time_ns + 1 : own->loop.iterations;
}

static report_weight weight_of(const void *data, size_t number)
{
	const struct loops_report *loops = data;

	/* Without times the number of iterations tells. */
	return loops->total_ns ? loops->rows.items[number].time_ns + 1
			       : loops->rows.items[number].loop.iterations;
}

static void loops_write(struct report *report, const void *data)
{
	const struct loops_report *loops = data;
	const bool many = loops->rows.count > REPORT_MOST_ROWS,
		   many_classes = loops->classes.count > REPORT_MOST_ROWS;

	report_begin(report, "eventflow-loops-1");
	report_facts(report, &(struct report_facts){.fields = loops_facts,
						    .row = facts_row,
						    .data = loops});
	report_table(report,
		     &(struct report_table){
			     "classes", .title = "ranks",
			     .meaning = "Threads with equal graphs, and the share of their loops",
			     .fields = rank_class_fields, .row = rank_class_row, .data = loops,
			     .count = loops->classes.count,
			     .most = many_classes ? REPORT_MOST_ROWS : 0,
			     .weight = many_classes ? class_time : NULL, .counts_rest = true,
			     .lists_all = "--format json"});
	report_table(report,
		     &(struct report_table){
			     "loops", .title = many ? "loops that take most time" : "loops",
			     .meaning = "Loops of each different graph", .fields = row_fields,
			     .row = loops_row, .data = loops, .count = loops->rows.count,
			     .most = many ? REPORT_MOST_ROWS : 0, .weight = many ? weight_of : NULL,
			     .counts_rest = true});
	report_table(report,
		     &(struct report_table){
			     "main_loops", .title = "main loops: iterations of the program",
			     .meaning = "The main loop of each different graph, if it has one",
			     .fields = main_fields, .row = main_row, .data = loops,
			     .count = loops->mains.count,
			     .most = loops->mains.count > REPORT_MOST_ROWS ? REPORT_MOST_ROWS : 0,
			     .weight = loops->mains.count > REPORT_MOST_ROWS ? main_weight : NULL,
			     .counts_rest = true});
	report_end(report);
}

static int add_loop_row(struct loops_report *report, uint32_t number, uint32_t loop,
			const struct flow_loops *loops, uint64_t time_ns,
			const struct flow_stat *iterations, struct error *err)
{
	const struct flow_graph *graph = &report->flow->graphs.items[number];
	struct loops_row row = {.graph = number,
				.number = loop,
				.loop = loops->loops.items[loop],
				.time_ns = time_ns,
				.iterations = *iterations};

	row.header = flow_label_text(report->flow, graph->nodes.items[row.loop.header].signature,
				     err);
	if (!row.header)
		return -1;
	if (array_push(&report->rows, row, err) < 0) {
		free(row.header);
		return -1;
	}
	return 0;
}

/* Add the rows of a graph's loops, whose times are time_ns. */
static int add_loops(struct loops_report *report, uint32_t number, const struct flow_loops *loops,
		     const uint64_t *time_ns, const struct flow_stat *iterations, struct error *err)
{
	const struct graph_times *times = &report->times[number];
	struct loops_class own = {.graph = number};

	for (uint32_t l = 0; l < loops->loops.count; l++) {
		TRY(add_loop_row(report, number, l, loops, time_ns[l], &iterations[l], err));
		if (loops->loops.items[l].parent != NO_LOOP)
			continue;
		own.outermost++;
		own.all_ns += time_ns[l];
		own.dominant_ns = time_ns[l] > own.dominant_ns ? time_ns[l] : own.dominant_ns;
	}
	report->threads += times->threads;
	report->total_ns += times->total;
	report->outermost += (uint64_t)own.outermost * times->threads;
	report->all_ns += own.all_ns;
	report->dominant_ns += own.dominant_ns;
	return array_push(&report->classes, own, err);
}

/* Add the iterations of all threads that have a graph, if the flow has the times of calls. */
static int add_iterations(struct flow_stat *stats, const struct loops_report *report,
			  uint32_t number, const struct flow_loops *loops, struct error *err)
{
	const struct flow *flow = report->flow;

	if (flow->times != FLOW_TIMES_ALL || !loops->loops.count)
		return 0;
	for (uint32_t r = report->times[number].rank; r < flow->world.rank_count; r++) {
		const struct flow_rank *rank = &flow->ranks[r];

		if (rank->lossy || (report->rank != UINT32_MAX && report->rank != r))
			continue;
		for (size_t t = 0; t < rank->threads.count; t++)
			if (rank->threads.items[t].graph == number &&
			    loop_iterations_add(stats, flow, &rank->threads.items[t], loops, err) <
				    0)
				return error_prefix(err, "rank %u", r);
	}
	return 0;
}

static int add_main_loop(struct loops_report *report, uint32_t number,
			 const struct flow_loops *loops, struct error *err)
{
	const struct graph_times *times = &report->times[number];
	struct main_row row;

	/* The order of its calls is not known. */
	if (report->flow->ranks[times->rank].lossy)
		return 0;
	TRY(main_loop_find(&row.loop, &report->flow->graphs.items[number], loops, times->nodes,
			   times->edges, err));
	if (row.loop.loop == NO_LOOP)
		return 0;
	row.row = report->rows.count - loops->loops.count + row.loop.loop;
	if (array_push(&report->mains, row, err) == 0)
		return 0;
	main_loop_release(&row.loop);
	return -1;
}

static int find_loops(struct loops_report *report, uint32_t number, struct error *err)
{
	const struct flow_graph *graph = &report->flow->graphs.items[number];
	struct flow_stat *stats = NULL;
	uint64_t *time_ns = NULL;
	struct flow_loops loops;
	int result = flow_loops_find(&loops, graph, err);

	if (result == 0)
		result = allocate(&stats, loops.loops.count, sizeof *stats, err);
	if (result == 0)
		result = allocate(&time_ns, loops.loops.count, sizeof *time_ns, err);
	if (result == 0)
		result = add_iterations(stats, report, number, &loops, err);
	if (result == 0) {
		loop_times_find(time_ns, graph, &loops, report->times[number].nodes,
				report->times[number].edges);
		result = add_loops(report, number, &loops, time_ns, stats, err);
	}
	if (result == 0)
		result = add_main_loop(report, number, &loops, err);
	free(time_ns);
	free(stats);
	flow_loops_release(&loops);
	return result;
}

static int find_all(struct loops_report *report, struct error *err)
{
	for (uint32_t g = 0; g < report->flow->graphs.count; g++)
		if (report->times[g].threads)
			TRY(find_loops(report, g, err));
	return 0;
}

static int report_loops(const struct flow *flow, const char *file, struct error *err)
{
	struct loops_report report = {.flow = flow};
	struct graph_times *times = NULL;
	int result;

	TRY(commands_given_rank(flow, &report.rank, err));
	TRY(graph_times_find(&times, flow, report.rank, err));
	report.times = times;
	result = find_all(&report, err);
	if (result == 0)
		result = commands_print(file, "loops", loops_write, &report, err);
	for (size_t i = 0; i < report.rows.count; i++)
		free(report.rows.items[i].header);
	for (size_t i = 0; i < report.mains.count; i++)
		main_loop_release(&report.mains.items[i].loop);
	array_release(&report.rows);
	array_release(&report.mains);
	array_release(&report.classes);
	graph_times_release(times, flow);
	return result;
}

static int cmd_loops(char **operands, int operand_count, struct error *err)
{
	struct flow *flow;
	int result;

	(void)operand_count;
	TRY(commands_open_flow_with(&flow, operands[0], FLOW_TIMES_ALL, err));
	result = report_loops(flow, operands[0], err);
	flow_release(flow);
	return result;
}

static const struct help_entry loops_examples[] = {
	{"eventflow loops app.efg", "print which loops the program has, and where its time is"},
	{"eventflow loops app.trace --rank 0 --format json",
	 "the loops of rank 0, for programs to read"},
	{0},
};

static const struct option_spec *const loops_options[] = {rank_options, NULL};

const struct command loops_command = {
	.name = "loops",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "print the loops of a run: nesting, entries, iterations, time",
	.notes = INPUT_NOTES
	" Loops are those of the event flow graph of each thread; threads with equal graphs are "
	"one row. A call inside several loops of the program is one node unless its fields or its "
	"place in the program tell it apart, so such loops may be one.",
	.options = loops_options,
	.output = &print_output,
	.run = cmd_loops,
	.examples = loops_examples,
};
