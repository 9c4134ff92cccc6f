/*
 * The part of llamp-measure that is an MPI program, one for each MPI: lib/llamp/llamp-measure-MPI.
 * The command llamp-measure starts it and gives it all operands (launch/launch_program.h).
 */
#include "common/options.h"
#include "common/output.h"
#include "common/progress.h"
#include "common/units.h"
#include "launch/forwarded.h"
#include "measure/link/threshold.h"
#include "measure/link/visits.h"
#include "measure/mpi/link_mpi.h"
#include "measure/mpi/overlap_main.h"
#include "measure/mpi/place.h"
#include "measure/params/report.h"

#include <mpi.h>
#include <string.h>

static const char tool_name[] = "llamp-measure";

static struct link link_of_ranks;
static struct place measure_job_place;

/* Measure until about `start_ns` + `limit_ns`. */
static int measure_all(uint64_t start_ns, uint64_t limit_ns, struct size_table *table,
		       struct estimate *estimate, struct checks *checks, struct error *err)
{
	static struct repeats repeats;
	struct threshold S;
	double trip_ns;

	TRY(measure_trips(&link_of_ranks, start_ns + limit_ns / 5 * 4, table, &repeats, checks,
			  err));
	progress_phase("rendezvous threshold");
	trip_ns = table->rows[table->count - 1].trip.median;
	S = threshold_find(&link_of_ranks, trip_ns > 0 ? 4 * trip_ns : 1e7, start_ns + limit_ns);
	return estimate_parameters(table, &repeats, S, estimate, err);
}

static int write_results(struct output *output, const struct measured_link *link, struct error *err)
{
	struct warnings warnings;

	report_find_warnings(link, &warnings);
	for (size_t i = 0; i < warnings.count; i++)
		tool_warning(tool_name, "%s", warnings.text[i]);
	if (output->path)
		report_print(stdout, link);
	return report_write_yaml(output->stream, link, &warnings, err);
}

static int measure_params(struct output *output, uint64_t limit_ns, struct estimate *estimate,
			  struct error *err)
{
	struct size_table table;
	struct checks checks;
	const struct measured_link link = {&measure_job_place, &table, estimate, &checks};
	int result;

	progress_begin(tool_name, "round trips");
	result = measure_all(link_now_ns(&link_of_ranks), limit_ns, &table, estimate, &checks, err);
	progress_end();
	return result < 0 ? -1 : write_results(output, &link, err);
}

static int run_params(char **operands, int operand_count, struct error *err)
{
	struct estimate estimate;
	struct output output;
	uint64_t limit_ns;

	(void)operand_count;
	TRY(parse_time_ns(operands[1], &limit_ns, err));
	TRY(output_open(&output, operands[0], err));
	if (measure_params(&output, limit_ns, &estimate, err) < 0) {
		output_discard(&output);
		return -1;
	}
	TRY(output_commit(&output, err));
	return report_check_latency(&estimate, err);
}

static void abort_all(const struct error *err)
{
	fprintf(stderr, "%s: %s\n", tool_name, err->text);
	forwarded_wait();
	MPI_Abort(MPI_COMM_WORLD, err->status);
}

static int measure_by_ranks(int argc, char **argv)
{
	static const struct command command = {
		.name = "params",
		 .operands = "FILE TIME",
		 .summary = "Measure LogGPS parameters until TIME has passed.",
		 .least_operands = 2,
		 .most_operands = 2,
		 .run = run_params,
	};
	static const struct command *const commands[] = {&command, NULL};
	static const struct tool tool = {.name = tool_name, .summary = "", .commands = commands};
	struct error err;
	int rank, size, status = STATUS_OK;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 2) {
		fprintf(stderr, "%s: two ranks are needed, this is one: mpiexec -n 2 %s %s\n",
			tool_name, tool_name, argc > 1 ? argv[1] : "params");
		return STATUS_USAGE;
	}
	place_find(MPI_COMM_WORLD, &measure_job_place);
	if (link_init(&link_of_ranks, &err) < 0)
		abort_all(&err);
	if (rank == 0) {
		status = tool_main(&tool, argc, argv);
		link_end(&link_of_ranks);
	} else if (link_serve(&link_of_ranks, &err) < 0) {
		abort_all(&err);
	}
	/* MPICH over TCP may wait for ever in MPI_Finalize if ranks get there at different times. */
	MPI_Barrier(MPI_COMM_WORLD);
	link_release(&link_of_ranks);
	return status;
}

int main(int argc, char **argv)
{
	int status;

	if (argc > 1 && strcmp(argv[1], "overlap") == 0)
		return overlap_main(argc, argv);
	MPI_Init(&argc, &argv);
	status = measure_by_ranks(argc, argv);
	MPI_Finalize();
	return status;
}
