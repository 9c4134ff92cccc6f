#include "trace/assemble/rank_flow.h"

#include "trace/assemble/run_world.h"
#include "trace/call/trace_names.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/file/flow_merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ one rank */

static int rank_flow_path(char path[static 4096], const char *directory, uint32_t rank,
			  unsigned number, struct error *err)
{
	return journal_part_path(path, directory, rank, number)
		       ? 0
		       : error_set(err, STATUS_DATA, "%s: the name is too long", directory);
}

/* Write all bytes to a file that becomes as long.  A limit on the size of files raises no signal. */
static int write_bytes(const char *path, const struct flow_bytes *bytes, struct error *err)
{
	struct rlimit limit;
	size_t done = 0;
	ssize_t more = 0;
	int file;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes->count > limit.rlim_cur) {
		errno = EFBIG;
		return error_set_errno(err, "%s", path);
	}
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file < 0)
		return error_set_errno(err, "%s", path);
	while (done < bytes->count && (more >= 0 || errno == EINTR)) {
		more = write(file, bytes->items + done, bytes->count - done);
		done += more > 0 ? (size_t)more : 0;
	}
	if (done < bytes->count)
		error_set_errno(err, "%s", path);
	if (close(file) < 0 && done == bytes->count)
		return error_set_errno(err, "%s", path);
	return done == bytes->count ? 0 : -1;
}

static int write_flow(const struct flow *flow, const char *path, struct error *err)
{
	struct flow_bytes bytes = {0};
	int result = flow_to_bytes(flow, &bytes, err);

	if (result == 0)
		result = write_bytes(path, &bytes, err);
	array_release(&bytes);
	return result;
}

int rank_flow_save(const struct flow *part, const char *directory, uint32_t rank, unsigned number,
		   struct error *err)
{
	char path[4096];

	TRY(rank_flow_path(path, directory, rank, number % JOURNAL_PARTS, err));
	return write_flow(part, path, err);
}

bool rank_flow_exists(const char *directory, uint32_t rank)
{
	char path[4096];

	for (unsigned number = 0; number < JOURNAL_PARTS; number++)
		if (journal_part_path(path, directory, rank, number) && access(path, F_OK) == 0)
			return true;
	return false;
}

/* Read the newest part that is whole, which has most calls; NULL if there is none. */
static int read_part(struct flow **part, const char *directory, uint32_t rank, uint32_t ranks,
		     struct error *err)
{
	struct flow *other;
	struct error why;
	char path[4096];

	*part = NULL;
	for (unsigned number = 0; number < JOURNAL_PARTS; number++) {
		TRY(rank_flow_path(path, directory, rank, number, err));
		if (access(path, F_OK) < 0 || flow_read_part(&other, path, &why) < 0)
			continue;
		if (other->world.rank_count != ranks || other->first_rank != rank ||
		    other->rank_count != 1 || (*part && (*part)->calls > other->calls)) {
			flow_release(other);
			continue;
		}
		flow_release(*part);
		*part = other;
	}
	return 0;
}

/* ----------------------------------------------------------------------- all ranks */

/* Replace ids of the rank by those of the run. */
static int map_ids(uint32_t *ids, size_t count, const uint32_t *map, size_t map_count,
		   struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (ids[i] >= map_count)
			return error_set(
				err, STATUS_DATA,
				"the graphs of a rank name what its journal does not define");
		ids[i] = map[ids[i]];
	}
	return 0;
}

/* Whether the rank uses a communicator whose members nobody knows. */
static bool uses_lost(const struct flow_rank *rank, const struct trace_maps *maps)
{
	for (size_t i = 0; i < rank->comms.count; i++) {
		const uint32_t id = rank->comms.items[i];

		if (id >= maps->comm_count ||
		    (id >= FIRST_OWN_COMM_ID && maps->comms[id] < FIRST_OWN_COMM_ID))
			return true;
	}
	return false;
}

static int map_part(struct flow *part, uint32_t number, uint64_t begin_ns,
		    const struct trace_maps *maps, struct error *err)
{
	struct flow_rank *rank = flow_rank_of(part, number);

	TRY(map_ids(rank->comms.items, rank->comms.count, maps->comms, maps->comm_count, err));
	TRY(map_ids(rank->windows.items, rank->windows.count, maps->windows, maps->window_count,
		    err));
	TRY(map_ids(rank->groups.items, rank->groups.count, maps->groups, maps->group_count, err));
	for (size_t i = 0; i < part->groups.count; i++)
		TRY(map_ids(&part->groups.items[i].id, 1, maps->groups, maps->group_count, err));
	/* Times of the part are those since the rank began. */
	for (size_t i = 0; i < rank->threads.count; i++)
		rank->threads.items[i].begin_ns += begin_ns;
	return 0;
}

static int join_part(struct run_flow *run, struct flow *part, uint32_t rank, struct error *err)
{
	const struct trace_maps maps = global_ids_maps_of(run->all, rank);

	run->lost[rank] = uses_lost(flow_rank_of(part, rank), &maps);
	if (run->lost[rank])
		return flow_add_ranks(run->flow, 1, err);
	run->calls[rank] = part->calls;
	TRY(map_part(part, rank, run->all->ranks.items[rank].begin_ns, &maps, err));
	return flow_merge(run->flow, part, err);
}

static int join_rank(struct run_flow *run, uint32_t rank, struct error *err)
{
	struct flow *part;
	int result;

	TRY(read_part(&part, run->directory, rank, run->flow->world.rank_count, err));
	if (!part)
		return flow_add_ranks(run->flow, 1, err);
	result = join_part(run, part, rank, err);
	flow_release(part);
	return result;
}

static uint64_t least_begin(const struct global_ids *all)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < all->ranks.count; i++)
		if (all->ranks.items[i].begin_ns < least)
			least = all->ranks.items[i].begin_ns;
	return least;
}

static int make_world(struct run_flow *run, struct rank_message *words, struct run_world *made,
		      uint32_t *nodes, struct error *err)
{
	TRY(run_world_nodes(run->all, nodes, err));
	TRY(run_world_pack(words, run->all, err));
	TRY(run_world_unpack(made, words->words.items, err));
	made->world.nodes = nodes;
	made->world.begin_ns = least_begin(run->all);
	made->world.incomplete = run->incomplete;
	made->world.has_sites = run->all->has_sites;
	made->world.has_probes = false;
	return flow_set_world(run->flow, &made->world, err);
}

static int join_world(struct run_flow *run, struct error *err)
{
	struct rank_message words = {0};
	struct run_world world = {0};
	uint32_t *nodes;
	int result;

	TRY(allocate(&nodes, run->all->ranks.count, sizeof *nodes, err));
	result = make_world(run, &words, &world, nodes, err);
	run_world_release(&world);
	array_release(&words.words);
	free(nodes);
	return result;
}

static int join_all(struct run_flow *run, struct error *err)
{
	const uint32_t ranks = (uint32_t)run->all->ranks.count;

	TRY(allocate(&run->calls, ranks, sizeof *run->calls, err));
	TRY(allocate(&run->lost, ranks, sizeof *run->lost, err));
	TRY(flow_make(&run->flow, err));
	run->flow->times = FLOW_TIMES_STATS;
	run->flow->level = FLOW_BY_SITE;
	TRY(join_world(run, err));
	for (uint32_t rank = 0; rank < ranks; rank++)
		TRY(join_rank(run, rank, err));
	return 0;
}

int run_flow_make(struct run_flow *run, struct error *err)
{
	if (join_all(run, err) == 0)
		return 0;
	run_flow_release(run);
	return -1;
}

int run_flow_write(const struct run_flow *run, struct run_flow_file *file, struct error *err)
{
	char temporary[4096], path[4096];
	struct stat status;

	if (snprintf(temporary, sizeof temporary, "%s/journal/" FLOW_FILE_NAME, run->directory) >=
	    (int)sizeof temporary)
		return error_set(err, STATUS_DATA, "%s: the name is too long", run->directory);
	snprintf(path, sizeof path, "%s/" FLOW_FILE_NAME, run->directory);
	if (write_flow(run->flow, temporary, err) < 0) {
		unlink(temporary);
		return -1;
	}
	file->bytes = stat(temporary, &status) == 0 ? (uint64_t)status.st_size : 0;
	for (uint32_t i = 0; i < run->flow->rank_count; i++)
		file->lossy += run->flow->ranks[i].lossy;
	if (rename(temporary, path) == 0)
		return 0;
	error_set_errno(err, "%s", path);
	unlink(temporary);
	return -1;
}

void run_flow_release(struct run_flow *run)
{
	flow_release(run->flow);
	free(run->calls);
	free(run->lost);
	run->flow = NULL;
	run->calls = NULL;
	run->lost = NULL;
}
