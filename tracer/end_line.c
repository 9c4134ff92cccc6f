#include "tracer/end_line.h"

#include "common/units.h"
#include "pmpi/process.h"
#include "pmpi/together.h"
#include "trace/assemble/run_world.h"
#include "trace/call/trace_hosts.h"
#include "tracer/tracer.h"

#include <stdio.h>
#include <stdlib.h>

static void print_line(uint32_t ranks, const char *crowd, uint64_t calls, uint64_t bytes)
{
	char size[UNIT_TEXT_BYTES], text[32];

	if (tracer.quiet)
		return;
	snprintf(text, sizeof text, "%u rank%s", ranks, plural(ranks));
	fprintf(stderr, "llamp-trace: %s: %s, %llu call%s, %s\n", tracer_name(), crowd ? crowd : text,
		(unsigned long long)calls, plural(calls), format_bytes((double)bytes, size));
}

/* Print with the number of cores, if all ranks are on one host and had to share them. */
static void print_with_cores(const struct global_ids *all, uint64_t calls, uint64_t bytes)
{
	struct trace_world world = {0};
	struct trace_host *hosts = NULL;
	char text[TRACE_HOSTS_TEXT_BYTES];
	struct error err;

	if (run_world_hosts(all, &hosts, &world.host_count, &err) == 0)
		world.hosts = hosts;
	print_line((uint32_t)all->ranks.count,
		   world.host_count == 1 ? trace_hosts_say_ranks(&world, text) : NULL, calls,
		   bytes);
	free(hosts);
}

static void print_empty(void)
{
	fprintf(stderr, "llamp-trace: %s%s%sno call was recorded: LLAMP_TRACE_RECORD is off, and the program"
		" has not called MPI_Pcontrol(1)\n", tracer.reports ? "no report: " : "",
		tracer.archive ? tracer_name() : "", tracer.archive ? ": " : "");
}

static void print_lossy(const struct run_flow_file *graphs)
{
	if (graphs->lossy)
		fprintf(stderr,
			"llamp-trace: the graphs of %u rank%s took more memory than LLAMP_TRACE_MEMORY"
			" allows: calls that differ became one, and cannot be recovered\n",
			graphs->lossy, plural(graphs->lossy));
}

bool end_line_is_empty(const struct rank_summary *own)
{
	uint64_t calls = own->calls;

	return together_sum(&calls, 1) && !calls;
}

void end_line_together(const struct rank_summary *own, const struct global_ids *all,
		       const struct run_flow_file *graphs)
{
	uint64_t sums[] = {own->calls, graphs->bytes};

	if (tracer_makes_otf2())
		sums[1] += trace_writer_bytes(tracer.directory, (uint32_t)process.rank,
					      tracer.journals);

	if (!together_sum(sums, 2) || process.rank != 0)
		return;
	if (!sums[0])
		print_empty();
	else if (tracer.archive)
		print_with_cores(all, sums[0], sums[1]);
	print_lossy(graphs);
	if (process.size > 1 && sums[0] && tracer.archive && tracer.below_mpi && !all->has_below)
		fputs("llamp-trace: below MPI, no call of UCX was seen: this run has sent nothing by UCX;"
		      " llamp-trace --help tells how to let it\n", stderr);
}

void end_line_alone(const struct recovered *recovered)
{
	const uint32_t ranks = (uint32_t)recovered->ranks.count;
	uint64_t calls = 0, bytes = recovered->flow.bytes;

	for (uint32_t rank = 0; rank < ranks; rank++) {
		const struct recovered_rank *one = &recovered->ranks.items[rank];

		calls += one->calls;
		if (recovered->archive)
			bytes += trace_writer_bytes(tracer.directory, rank,
						    one->threads ? one->threads : 1);
	}
	if (!calls)
		print_empty();
	else
		print_line(ranks, NULL, calls, bytes);
	print_lossy(&recovered->flow);
}
