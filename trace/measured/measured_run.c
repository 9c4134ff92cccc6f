#include "trace/measured/measured_run.h"

#include "common/memory.h"
#include "common/parallel/parallel.h"
#include "common/progress.h"

#include <stdio.h>

/* -------------------------------------------------------------------- reading */

/* State of a thread. */
struct worker {
	struct measured_run *run;
	struct trace_reader *reader;
	struct measured_names names;
	struct measured_reading reading;
};

static int measured_run_read_rank(void *shared, void *state, uint32_t item, struct error *err)
{
	struct measured_run *run = shared;
	struct worker *worker = state;
	const uint32_t rank = run->own_first + item;

	worker->run = run;
	if (!worker->reader)
		TRY(trace_reader_again(&worker->reader, run->reader, err));
	run->ranks[rank] = (struct measured_rank){.rank = rank};
	worker->reading.world = run->world;
	worker->reading.names = &worker->names;
	worker->reading.events = trace_reader_events(run->reader) / run->rank_count;
	measured_reading_begin(&worker->reading, &run->ranks[rank]);
	TRY(trace_reader_rank(worker->reader, rank, measured_take_call, &worker->reading, err));
	return measured_reading_end(&worker->reading, err);
}

/* Number the functions that are not in the table as the run does. */
static int rename_functions(struct measured_run *run, const struct measured_names *names,
			    struct measured_rank *rank, struct error *err)
{
	for (size_t i = 0; i < rank->calls.count; i++)
		TRY(measured_names_copy(&run->names, names, &rank->calls.items[i].function, err));
	return 0;
}

static int take_rank(void *shared, void *state, uint32_t item, struct error *err)
{
	struct measured_run *run = shared;
	const struct worker *worker = state;
	struct measured_rank *read = &run->ranks[run->own_first + item];

	progress_show(item, run->own_end - run->own_first);
	if (worker->names.others.count)
		TRY(rename_functions(run, &worker->names, read, err));
	return 0;
}

/* Add what the thread has left out.  Called by one thread at a time. */
static void release_worker(void *state)
{
	struct worker *worker = state;

	if (worker->reader) {
		const struct trace_left_out left_out = trace_reader_left_out(worker->reader);

		trace_left_out_add(&worker->run->left_out, &left_out);
	}
	trace_reader_close(worker->reader);
	measured_names_release(&worker->names);
	measured_reading_release(&worker->reading);
}

static int read_ranks(struct measured_run *run, struct error *err)
{
	const struct parallel_work work = {
		.make = measured_run_read_rank,
		.take = take_rank,
		.shared = run,
		.state_bytes = sizeof(struct worker),
		.release = release_worker,
	};

	TRY(allocate(&run->ranks, run->rank_count, sizeof *run->ranks, err));
	return parallel_run(&work, run->own_end - run->own_first, measured_threads(run), err);
}

/* ------------------------------------------------------------------------ run */

uint32_t measured_share(uint32_t rank_count, uint32_t part, uint32_t parts)
{
	return (uint32_t)((uint64_t)rank_count * part / parts);
}

unsigned measured_threads(const struct measured_run *run)
{
	return run->threads ? run->threads : processor_count();
}

/* Bytes for each event of the ranks that are read: less than any trace takes. */
enum { BYTES_PER_EVENT = 24 };

/* Refuse a run that does not fit into memory before taking it. */
static int require_memory(const struct measured_run *run, const char *path, struct error *err)
{
	const uint32_t own = run->own_end - run->own_first;
	struct error reason;

	if (!own || memory_require(trace_reader_events(run->reader) / run->rank_count * own *
					   BYTES_PER_EVENT,
				   "the run", &reason) == 0)
		return 0;
	return error_set(
		err, reason.status,
		"%s: %.800s; N processes of critpath-mpi on computers of their own need 1/N of it"
		" each",
		path, reason.text);
}

int measured_run_read(struct measured_run *run, const char *path, uint32_t part, uint32_t parts,
		      struct error *err)
{
	*run = (struct measured_run){.threads = parts > 1};
	TRY(trace_reader_open(&run->reader, path, err));
	trace_reader_as_measured(run->reader);
	run->world = trace_reader_world(run->reader);
	run->rank_count = run->world->rank_count;
	run->own_first = measured_share(run->rank_count, part, parts);
	run->own_end = measured_share(run->rank_count, part + 1, parts);
	run->left_out = trace_reader_left_out(run->reader);
	if (require_memory(run, path, err) == 0 && read_ranks(run, err) == 0)
		return 0;
	measured_run_release(run);
	return -1;
}

static void release_lists(uint32_t **lists, uint32_t count)
{
	for (uint32_t i = 0; lists && i < count; i++)
		free(lists[i]);
	free(lists);
}

void measured_run_release(struct measured_run *run)
{
	for (uint32_t rank = 0; run->ranks && rank < run->rank_count; rank++)
		measured_rank_release(&run->ranks[rank]);
	free(run->ranks);
	release_lists(run->send_of, run->rank_count);
	release_lists(run->recv_of, run->rank_count);
	release_lists(run->instance_of, run->rank_count);
	array_release(&run->remote);
	array_release(&run->instances);
	measured_names_release(&run->names);
	trace_reader_close(run->reader);
}

/* ---------------------------------------------------------------------- calls */

static struct measured_start start_of(const struct measured_run *run, uint32_t rank, uint32_t call)
{
	const struct measured_call *begun = &run->ranks[rank].calls.items[call];

	return (struct measured_start){begun->enter_ns, call, begun->function};
}

struct measured_start measured_send_of(const struct measured_run *run, uint32_t rank, size_t recv)
{
	const uint32_t peer = run->ranks[rank].recvs.items[recv].peer;
	const uint32_t match = run->send_of[rank][recv];

	return measured_owns(run, peer)
		       ? start_of(run, peer, run->ranks[peer].sends.items[match].begin)
		       : run->remote.items[match];
}

struct measured_start measured_recv_of(const struct measured_run *run, uint32_t rank, size_t send)
{
	const uint32_t peer = run->ranks[rank].sends.items[send].peer;
	const uint32_t match = run->recv_of[rank][send];

	return measured_owns(run, peer)
		       ? start_of(run, peer, run->ranks[peer].recvs.items[match].begin)
		       : run->remote.items[match];
}

bool measured_lacks_members(const struct measured_run *run,
			    const struct measured_instance *instance)
{
	const struct trace_comm *comm = &run->world->comms[instance->comm];

	if (!comm->inter || !collective_has_root(instance->kind))
		return instance->members < comm->size + comm->remote_size;
	if (instance->root.call == NO_CALL)
		return true;
	return instance->members <
	       1 + (trace_rank_among(comm->ranks, comm->size, instance->root_rank) != NO_RANK
			    ? comm->remote_size
			    : comm->size);
}

const char *measured_site_text(const struct measured_run *run, uint32_t site)
{
	return run->site_texts ? string_table_get(run->site_texts, site - 1)
			       : trace_reader_site(run->reader, site);
}

const char *measured_site_name(const struct measured_run *run, uint32_t site)
{
	return site != NO_SITE && run->site_names ? run->site_names[site] : NULL;
}

const char *measured_comm_name(const struct measured_run *run, uint32_t comm,
			       char name[static MEASURED_COMM_BYTES])
{
	const struct trace_comm *known = comm < run->world->comm_count ? &run->world->comms[comm]
								       : NULL;

	if (!known)
		snprintf(name, MEASURED_COMM_BYTES, "no communicator");
	else if (known->name && known->name[0])
		snprintf(name, MEASURED_COMM_BYTES, "%s", known->name);
	else if (comm == run->world->world_comm)
		snprintf(name, MEASURED_COMM_BYTES, "MPI_COMM_WORLD");
	else
		snprintf(name, MEASURED_COMM_BYTES, "communicator %u (%u ranks)", comm,
			 known->self ? 1 : known->size + known->remote_size);
	return name;
}
