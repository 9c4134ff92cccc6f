#include "test/unit/lib/make/make_usage.h"

#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static const uint16_t functions[] = {
	CALL_Send,	CALL_Recv,	CALL_Isend,   CALL_Irecv,  CALL_Wait,	   CALL_Waitall,
	CALL_Allreduce, CALL_Bcast,	CALL_Barrier, CALL_Reduce, CALL_Alltoallv, CALL_Allgather,
	CALL_Comm_rank, CALL_Comm_size, CALL_Iprobe,  CALL_Gather, CALL_Put,	   CALL_Win_fence,
};

struct kind {
	struct usage_key key;
	uint64_t bytes;
};

static struct kind random_kind(uint64_t *numbers)
{
	struct kind kind = {.bytes = random_below(numbers, 1 + (1u << random_below(numbers, 24)))};

	kind.key = (struct usage_key){
		.function = functions[random_below(numbers, sizeof functions / sizeof *functions)],
		.size_class = usage_size_class(kind.bytes),
		.comm_class = (uint8_t)random_below(numbers, 8),
		.place = (uint8_t)random_below(numbers, USAGE_PLACES),
		.failed = random_below(numbers, 20) == 0,
	};
	return kind;
}

static void add_calls(struct usage_table *table, const struct kind *kind, uint64_t *numbers,
		      bool ties)
{
	struct usage_cell *cell = usage_cell(table, kind->key);
	const uint64_t calls = 1 + random_below(numbers, 4);

	for (uint64_t i = 0; i < calls; i++) {
		const uint64_t ns = ties ? random_below(numbers, 3)
					 : 100 + random_below(numbers,
							      1u << random_below(numbers, 30));

		usage_add(cell, kind->bytes, 2 * kind->bytes, ns, usage_time_bin(ns));
	}
}

void make_parts(struct made_parts *made, uint64_t *numbers, uint32_t ranks, uint32_t kinds,
		bool ties)
{
	static const char *const hosts[] = {"node1", "node2", "node3"};
	struct kind *all;
	struct error err;

	MUST(allocate(&made->tables, ranks, sizeof *made->tables, &err));
	MUST(allocate(&all, kinds, sizeof *all, &err));
	for (uint32_t k = 0; k < kinds; k++)
		all[k] = random_kind(numbers);
	made->count = ranks;
	for (uint32_t i = 0; i < ranks; i++) {
		made->parts[i] = (struct job_part){.rank = i,
						   .host = hosts[random_below(numbers, 3)],
						   .table = &made->tables[i],
						   .threads = 1 +
							      (uint32_t)random_below(numbers, 4)};
		for (unsigned c = 0; c < JOB_COUNTER_END; c++)
			made->parts[i].counters[c] = c == JOB_FLOATING_POINT
							     ? USAGE_UNKNOWN
							     : random_below(numbers, 1u << 30);
		usage_table_init(&made->tables[i]);
		for (uint32_t k = 0; k < kinds; k++)
			if (random_below(numbers, 4) > 0)
				add_calls(&made->tables[i], &all[k], numbers, ties);
	}
	free(all);
}

void made_parts_release(struct made_parts *made)
{
	free(made->tables);
	memset(made, 0, sizeof *made);
}

static char *copy_of(const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	return copy;
}

void make_job_log(struct job_log *log, uint64_t *numbers, uint32_t ranks, uint32_t kinds, bool all)
{
	struct made_parts made;
	struct error err;

	memset(log, 0, sizeof *log);
	log->system = copy_of("cluster");
	log->job = copy_of("4711");
	log->step = copy_of("0");
	log->user = copy_of("user");
	log->program = copy_of("/home/user/bin/solver");
	log->build_id = copy_of("0123456789abcdef0123456789abcdef01234567");
	log->args_hash = UINT64_C(0xfedcba9876543210);
	log->library = copy_of("MPICH Version: 4.0.2");
	log->clock = copy_of("tsc");
	log->start_unix_ns = UINT64_C(1500000000123456789);
	log->mpi_ns = UINT64_C(3600000000000);
	log->process_ns = UINT64_C(3601000000000);
	log->ranks = ranks;
	log->nodes = 3;
	log->level_asked = JOB_SINGLE;
	log->level_given = JOB_MULTIPLE;
	make_parts(&made, numbers, ranks, kinds, false);
	MUST(job_log_add_parts(log, made.parts, made.count, all, &err));
	made_parts_release(&made);
}
