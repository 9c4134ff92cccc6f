#include "llamp/timeline/timeline_lanes.h"

static int add_lane(struct timeline_lanes *lanes, uint8_t cpu, bool is_main, uint32_t *number,
		    struct error *err)
{
	const struct timeline_lane lane = {
		.rank = lanes->rank, .cpu = cpu, .cpu_count = lanes->cpu_count,
		.number = lanes->count, .is_main = is_main,
	};

	*number = lanes->count++;
	return lanes->visitor->lane(lanes->context, &lane, err);
}

int lanes_begin(struct timeline_lanes *lanes, uint32_t rank, const bool *uses_cpu,
		struct error *err)
{
	lanes->rank = rank;
	lanes->count = lanes->cpu_count = 0;
	for (int cpu = 0; cpu < TIMELINE_MOST_CPUS; cpu++)
		lanes->cpu_count += uses_cpu[cpu];
	for (int cpu = 0; cpu < TIMELINE_MOST_CPUS; cpu++) {
		struct cpu_lanes *of = &lanes->cpus[cpu];

		of->used = uses_cpu[cpu];
		of->call_open = false;
		of->busy_until_ns = 0;
		of->free.entries.count = of->busy.entries.count = 0;
		if (of->used)
			TRY(add_lane(lanes, (uint8_t)cpu, true, &of->main, err));
	}
	return 0;
}

static int end_call(struct timeline_lanes *lanes, struct cpu_lanes *of, struct error *err)
{
	of->call_open = false;
	return lanes->visitor->end(lanes->context, of->main, of->call_end_ns, err);
}

int lanes_end(struct timeline_lanes *lanes, struct error *err)
{
	for (int cpu = 0; cpu < TIMELINE_MOST_CPUS; cpu++)
		if (lanes->cpus[cpu].used && lanes->cpus[cpu].call_open)
			TRY(end_call(lanes, &lanes->cpus[cpu], err));
	return 0;
}

void lanes_release(struct timeline_lanes *lanes)
{
	for (int cpu = 0; cpu < TIMELINE_MOST_CPUS; cpu++) {
		min_heap_release(&lanes->cpus[cpu].free);
		min_heap_release(&lanes->cpus[cpu].busy);
	}
}

/* Find a further lane in which nothing is open at the start of the slice. */
static int find_free_lane(struct timeline_lanes *lanes, uint8_t cpu,
			  struct timeline_slice *slice, struct error *err)
{
	struct cpu_lanes *of = &lanes->cpus[cpu];

	while (of->busy.entries.count && of->busy.entries.items[0].key <= slice->start_ns) {
		const uint32_t lane = min_heap_pop(&of->busy);

		TRY(min_heap_push(&of->free, lane, lane, err));
	}
	if (of->free.entries.count)
		slice->lane = min_heap_pop(&of->free);
	else
		TRY(add_lane(lanes, cpu, false, &slice->lane, err));
	return min_heap_push(&of->busy, slice->end_ns, slice->lane, err);
}

/* End the call of the main lane if it is over before the slice. */
static int end_call_before(struct timeline_lanes *lanes, struct cpu_lanes *of,
			   const struct timeline_slice *slice, struct error *err)
{
	const bool over = of->call_end_ns <= slice->start_ns &&
			  (slice->call == NULL || slice->end_ns > of->call_end_ns);

	return of->call_open && over ? end_call(lanes, of, err) : 0;
}

int lanes_call(struct timeline_lanes *lanes, uint8_t cpu, struct timeline_slice *slice,
	       struct error *err)
{
	struct cpu_lanes *of = &lanes->cpus[cpu];

	if (of->call_open && of->call_end_ns <= slice->start_ns)
		TRY(end_call(lanes, of, err));
	if (!of->call_open && of->busy_until_ns <= slice->start_ns) {
		slice->lane = of->main;
		of->call_open = true;
		of->call_end_ns = slice->end_ns;
		return lanes->visitor->begin(lanes->context, slice, err);
	}
	/* Calls that overlap have no computation between them: the graph is not schedgen's. */
	TRY(find_free_lane(lanes, cpu, slice, err));
	TRY(lanes->visitor->begin(lanes->context, slice, err));
	return lanes->visitor->end(lanes->context, slice->lane, slice->end_ns, err);
}

static int write_operation(struct timeline_lanes *lanes, const struct timeline_slice *slice,
			   struct timeline_slice *overhead, struct error *err)
{
	const struct timeline_visitor *visitor = lanes->visitor;

	TRY(visitor->begin(lanes->context, slice, err));
	if (overhead) {
		overhead->lane = slice->lane;
		TRY(visitor->begin(lanes->context, overhead, err));
		TRY(visitor->end(lanes->context, overhead->lane, overhead->end_ns, err));
	}
	return visitor->end(lanes->context, slice->lane, slice->end_ns, err);
}

int lanes_operation(struct timeline_lanes *lanes, uint8_t cpu, struct timeline_slice *slice,
		    struct timeline_slice *overhead, struct error *err)
{
	struct cpu_lanes *of = &lanes->cpus[cpu];

	TRY(end_call_before(lanes, of, slice, err));
	if (of->busy_until_ns <= slice->start_ns &&
	    (!of->call_open || slice->end_ns <= of->call_end_ns)) {
		slice->lane = of->main;
		of->busy_until_ns = slice->end_ns;
	} else {
		TRY(find_free_lane(lanes, cpu, slice, err));
	}
	return write_operation(lanes, slice, overhead, err);
}
