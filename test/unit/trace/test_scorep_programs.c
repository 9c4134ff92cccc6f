/* Tests of all commands with programs recorded by Score-P: threads, devices and windows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/make_archive.h"
#include "test/unit/lib/make/make_scorep.h"

static int setup(void **state)
{
	*state = make_folder();
	return 0;
}

static int teardown(void **state)
{
	remove_folder(*state);
	return 0;
}

static const char *path_of(void **state)
{
	static char path[600];

	snprintf(path, sizeof path, "%s/a", (char *)*state);
	return path;
}

/* Run a command, which must succeed.  Return its output, valid until the next call. */
static const char *output_of(const char *command, const char *path)
{
	static char output[16384];
	char line[2048];
	FILE *stream;
	size_t count;

	snprintf(line, sizeof line, "P='%s'; { %s; } 2>&1", path, command);
	stream = popen(line, "r");
	assert_non_null(stream);
	count = fread(output, 1, sizeof output - 1, stream);
	output[count] = '\0';
	if (pclose(stream) != 0)
		fail_msg("%s: %s", command, output);
	return output;
}

static void expect_part(const char *output, const char *part)
{
	if (!strstr(output, part))
		fail_msg("\"%s\" is not in: %s", part, output);
}

/* ---------------------------------------------------------------------- windows */

enum { WINDOW = 0, WINDOW_SELF = 1, BARRIER = OTF2_COLLECTIVE_OP_BARRIER };

static void define_windows(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	const uint64_t first[] = {0}, second[] = {1};

	MUST(OTF2_GlobalDefWriter_WriteRmaWin(writer, WINDOW,
					      scorep_string(scorep, "MPI_Win_create_window"), 1,
					      OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, SCOREP_OWN_GROUP, 0,
					     OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
					     OTF2_GROUP_FLAG_NONE, 1, first));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, SCOREP_OWN_GROUP + 1, 0,
					     OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
					     OTF2_GROUP_FLAG_NONE, 1, second));
}

/* Write a collective on a window, with the time of Enter or, at its end, of Leave. */
static void win_collective(struct scorep *scorep, const char *name, OTF2_CollectiveOp op,
			   OTF2_RmaSyncLevel level)
{
	OTF2_EvtWriter *writer = scorep->writer;

	scorep_enter(scorep, 0, name);
	MUST(OTF2_EvtWriter_RmaCollectiveBegin(writer, NULL, scorep->time));
	scorep->time += 500;
	if (op == OTF2_COLLECTIVE_OP_CREATE_HANDLE)
		MUST(OTF2_EvtWriter_RmaWinCreate(writer, NULL, scorep->time, WINDOW));
	if (op == OTF2_COLLECTIVE_OP_DESTROY_HANDLE)
		MUST(OTF2_EvtWriter_RmaWinDestroy(writer, NULL, scorep->time, WINDOW));
	MUST(OTF2_EvtWriter_RmaCollectiveEnd(writer, NULL, scorep->time, op, level, WINDOW,
					     OTF2_UNDEFINED_UINT32, 0, 0));
	scorep_leave(scorep, 0, name);
}

static void win_create(struct scorep *scorep)
{
	scorep->time += 1000;
	win_collective(scorep, "MPI_Win_create", OTF2_COLLECTIVE_OP_CREATE_HANDLE,
		       OTF2_RMA_SYNC_LEVEL_PROCESS);
}

static void win_free(struct scorep *scorep)
{
	win_collective(scorep, "MPI_Win_free", OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
		       OTF2_RMA_SYNC_LEVEL_PROCESS);
}

/* Write a fence, which contains the records of completion before its end. */
static void win_fence(struct scorep *scorep, uint64_t pending)
{
	scorep_enter(scorep, 0, "MPI_Win_fence");
	MUST(OTF2_EvtWriter_RmaCollectiveBegin(scorep->writer, NULL, scorep->time));
	if (pending) {
		MUST(OTF2_EvtWriter_RmaOpCompleteNonBlocking(scorep->writer, NULL, scorep->time,
							     WINDOW, pending));
		MUST(OTF2_EvtWriter_RmaOpCompleteRemote(scorep->writer, NULL, scorep->time, WINDOW,
							pending));
	}
	MUST(OTF2_EvtWriter_RmaCollectiveEnd(
		scorep->writer, NULL, scorep->time, BARRIER,
		OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, WINDOW,
		OTF2_UNDEFINED_UINT32, 0, 0));
	scorep_leave(scorep, 500, "MPI_Win_fence");
}

/* Write a put.  Puts to a target that complete together have one number. */
static void win_put(struct scorep *scorep, uint32_t target, uint64_t bytes, uint64_t number)
{
	scorep_enter(scorep, 0, "MPI_Put");
	MUST(OTF2_EvtWriter_RmaPut(scorep->writer, NULL, scorep->time, WINDOW, target, bytes,
				   number));
	scorep_leave(scorep, 100, "MPI_Put");
}

/*
 * The barriers of creation, the first fence and freeing cost L + 2o each.  After the second fence
 * rank 1 is at L + max(3o, 2o + 999 G) (doc/trace-to-goal.md).  With 1000 before and after,
 * L 1000, o 100 and G 1: 2000 + 3 * 1200 + 1000 + 200 + 999.
 */
static void fences_and_puts_of_scorep_cost_as_in_the_formula(void **state)
{
	struct scorep scorep = {.define = define_windows};
	const char *output;

	scorep_begin(&scorep, path_of(state), 2);
	for (uint32_t rank = 0; rank < 2; rank++) {
		scorep_rank(&scorep, rank);
		win_create(&scorep);
		win_fence(&scorep, 0);
		if (rank == 0)
			win_put(&scorep, 1, 1000, 9);
		win_fence(&scorep, rank == 0 ? 9 : 0);
		win_free(&scorep);
		scorep_rank_end(&scorep);
	}
	scorep_end(&scorep);
	output = output_of("schedgen $P -o $P.goal && goal check $P.goal && "
			   "llamp analyze $P.goal -L 1000 --overhead 100 -G 1", path_of(state));
	expect_part(output, "9 one-sided");
	expect_part(output, "0 not modelled");
	expect_part(output, "T               7.799 us");
}

static void win_lock(struct scorep *scorep, uint32_t target)
{
	scorep_enter(scorep, 0, "MPI_Win_lock");
	MUST(OTF2_EvtWriter_RmaRequestLock(scorep->writer, NULL, scorep->time, WINDOW, target, 0,
					   OTF2_LOCK_SHARED));
	scorep_leave(scorep, 100, "MPI_Win_lock");
}

static void win_unlock(struct scorep *scorep, uint32_t target, uint64_t pending)
{
	scorep_enter(scorep, 0, "MPI_Win_unlock");
	MUST(OTF2_EvtWriter_RmaOpCompleteNonBlocking(scorep->writer, NULL, scorep->time, WINDOW,
						     pending));
	MUST(OTF2_EvtWriter_RmaOpCompleteRemote(scorep->writer, NULL, scorep->time, WINDOW,
						pending));
	MUST(OTF2_EvtWriter_RmaReleaseLock(scorep->writer, NULL, scorep->time, WINDOW, target, 0));
	scorep_leave(scorep, 100, "MPI_Win_unlock");
}

static void win_group(struct scorep *scorep, const char *name, bool ends, uint32_t group)
{
	scorep_enter(scorep, 0, name);
	MUST(OTF2_EvtWriter_RmaGroupSync(scorep->writer, NULL, scorep->time,
					 OTF2_RMA_SYNC_LEVEL_PROCESS |
						 (ends ? OTF2_RMA_SYNC_LEVEL_MEMORY : 0),
					 WINDOW, group));
	scorep_leave(scorep, 100, name);
}

/* Messages: request and grant of a lock, data, acknowledgement; post, data, complete; barriers. */
static void locks_and_groups_of_scorep_are_messages(void **state)
{
	struct scorep scorep = {.define = define_windows};
	const char *output;

	scorep_begin(&scorep, path_of(state), 2);
	scorep_rank(&scorep, 0);
	win_create(&scorep);
	win_lock(&scorep, 1);
	win_put(&scorep, 1, 64, 1);
	win_unlock(&scorep, 1, 1);
	win_group(&scorep, "MPI_Win_start", false, SCOREP_OWN_GROUP + 1);
	win_put(&scorep, 1, 32, 2);
	win_group(&scorep, "MPI_Win_complete", true, SCOREP_OWN_GROUP + 1);
	win_free(&scorep);
	scorep_rank_end(&scorep);
	scorep_rank(&scorep, 1);
	win_create(&scorep);
	win_group(&scorep, "MPI_Win_post", false, SCOREP_OWN_GROUP);
	win_group(&scorep, "MPI_Win_wait", true, SCOREP_OWN_GROUP);
	win_free(&scorep);
	scorep_rank_end(&scorep);
	scorep_end(&scorep);
	output = output_of("schedgen $P -o $P.goal && goal check $P.goal && "
			   "llamp analyze $P.goal -L 1000 --overhead 100 -G 1 >/dev/null", path_of(state));
	expect_part(output, "0 not modelled");
	expect_part(output, "11 messages, 96 bytes");
}

/* --------------------------------------------------------- other models besides MPI */

enum { OTHER_GROUP = SCOREP_OWN_GROUP, DEVICE_GROUP = 9, DEVICE = 77, OTHER_WINDOW = 5 };

static void define_device(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	const uint64_t locations[] = {0, DEVICE}, both[] = {0, 1};

	MUST(OTF2_GlobalDefWriter_WriteLocationGroup(writer, DEVICE_GROUP,
						     scorep_string(scorep, "CUDA Context 1"),
						     OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, 0));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, OTHER_GROUP, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
					     OTF2_PARADIGM_CUDA, OTF2_GROUP_FLAG_NONE, 2,
					     locations));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, OTHER_GROUP + 1, 0, OTF2_GROUP_TYPE_COMM_GROUP,
					     OTF2_PARADIGM_CUDA, OTF2_GROUP_FLAG_NONE, 2, both));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, SCOREP_GLOBAL_OWN, 0, OTHER_GROUP + 1,
					    OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	MUST(OTF2_GlobalDefWriter_WriteRmaWin(writer, OTHER_WINDOW,
					      scorep_string(scorep, "CUDA_WINDOW"),
					      SCOREP_GLOBAL_OWN, OTF2_RMA_WIN_FLAG_NONE));
}

static void copy_to_device(struct scorep *scorep)
{
	OTF2_EvtWriter *writer = scorep->writer;

	scorep_enter(scorep, 100, "cudaMemcpy");
	MUST(OTF2_EvtWriter_RmaPut(writer, NULL, scorep->time, OTHER_WINDOW, 1, 4096, 1));
	MUST(OTF2_EvtWriter_RmaOpCompleteBlocking(writer, NULL, scorep->time + 300, OTHER_WINDOW,
						  1));
	MUST(OTF2_EvtWriter_RmaGroupSync(writer, NULL, scorep->time + 300,
					 OTF2_RMA_SYNC_LEVEL_PROCESS, OTHER_WINDOW, OTHER_GROUP));
	scorep_leave(scorep, 300, "cudaMemcpy");
}

static void copies_to_devices_are_computation(void **state)
{
	struct scorep scorep = {.define = define_device};
	struct trace_left_out left_out;

	scorep_begin(&scorep, path_of(state), 2);
	scorep_rank(&scorep, 0);
	copy_to_device(&scorep);
	scorep_send(&scorep, SCOREP_WORLD, 1, 7);
	scorep_rank_end(&scorep);
	scorep_location(&scorep, DEVICE, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, DEVICE_GROUP);
	copy_to_device(&scorep);
	scorep_location_end(&scorep);
	scorep_rank(&scorep, 1);
	scorep_receive(&scorep, SCOREP_WORLD, 0, 7);
	scorep_rank_end(&scorep);
	scorep_end(&scorep);
	left_out = feed_expect_rank(path_of(state), 0,
				    "calc 1400\nsend 64 to 1 tag 7 > 0\ncalc 1000 > 1\n");
	assert_int_equal(left_out.other_windows, 3);
	assert_int_equal(left_out.other_locations, 1);
	expect_part(output_of("schedgen $P -o $P.goal", path_of(state)),
		    "note: 3 records of one-sided communication that is not MPI's");
}

/* OpenMP thread t of rank r is location t * 2^32 + r. */
static void thread(struct scorep *scorep, uint32_t rank)
{
	scorep_location(scorep, (UINT64_C(1) << 32) + rank, OTF2_LOCATION_TYPE_CPU_THREAD, rank);
	scorep->time = 10500;
	scorep_enter(scorep, 0, "!$omp parallel @app.c:7");
	if (rank == 0)
		scorep_send(scorep, SCOREP_WORLD, 1, 8);
	else
		scorep_receive(scorep, SCOREP_WORLD, 0, 8);
	scorep_leave(scorep, 100, "!$omp parallel @app.c:7");
	scorep_location_end(scorep);
}

static void threads_of_openmp_that_call_mpi_are_on_cpus_of_their_own(void **state)
{
	struct scorep scorep = {0};
	const char *output;

	scorep_begin(&scorep, path_of(state), 2);
	scorep_rank(&scorep, 0);
	scorep_send(&scorep, SCOREP_WORLD, 1, 7);
	scorep_rank_end(&scorep);
	thread(&scorep, 0);
	scorep_rank(&scorep, 1);
	scorep_receive(&scorep, SCOREP_WORLD, 0, 7);
	scorep_rank_end(&scorep);
	thread(&scorep, 1);
	scorep_end(&scorep);
	feed_expect_rank(path_of(state), 0,
			 "calc 1000\nsend 64 to 1 tag 7 > 0\n"
			 "calc 1500 cpu 1\nsend 64 to 1 tag 8 cpu 1 > 2\n"
			 "calc 1000 > 1\n");
	output = output_of("schedgen $P -o $P.goal && goal check $P.goal && "
			   "llamp analyze $P.goal -L 1000 --overhead 100 -G 1", path_of(state));
	expect_part(output, "2 messages, 128 bytes");
	/* 1000, o + L + 63 G + o, and 1000.  The thread's message ends before. */
	expect_part(output, "T               3.263 us");
}

/* ------------------------------------------------------ calls without records */

static void call(struct scorep *scorep, uint64_t ticks, const char *name)
{
	scorep_enter(scorep, 0, name);
	scorep_leave(scorep, ticks, name);
}

static void communication_without_records_is_computation_and_reported(void **state)
{
	static const char *const lines[] = {
		"computation: MPI_Wait, 6 calls, 40 us (",
		"computation: MPI_Isendrecv, 2 calls, 400 ns (",
		"computation: MPI_Start, 4 calls, 400 ns (",
		"computation: MPI_Pready, 2 calls, 200 ns (",
		"computation: MPI_Allreduce_init, 2 calls, 600 ns (",
		"computation: MPI_Test, 2 calls, 100 ns (",
		"note: 16 calls of messages and requests have no records"
	};
	struct scorep scorep = {0};
	const char *output;

	scorep_begin(&scorep, path_of(state), 2);
	for (uint32_t rank = 0; rank < 2; rank++) {
		scorep_rank(&scorep, rank);
		call(&scorep, 200, "MPI_Isendrecv");
		call(&scorep, 5000, "MPI_Wait");
		call(&scorep, 300, "MPI_Allreduce_init");
		call(&scorep, 100, "MPI_Start");
		call(&scorep, 50, "MPI_Test");
		call(&scorep, 5000, "MPI_Wait");
		call(&scorep, 300, "MPI_Psend_init");
		call(&scorep, 100, "MPI_Start");
		call(&scorep, 100, "MPI_Pready");
		call(&scorep, 10000, "MPI_Wait");
		scorep_rank_end(&scorep);
	}
	scorep_end(&scorep);
	output = output_of("schedgen $P -o $P.goal", path_of(state));
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		expect_part(output, lines[i]);
	feed_expect_rank(path_of(state), 0, "calc 22150\n");
}

/* ------------------------------------------------------------- inside of calls */

static void turn_strings(struct scorep *scorep, OTF2_DefWriter *writer, uint64_t location)
{
	uint64_t places[SCOREP_STRINGS];
	OTF2_IdMap *map;

	(void)location;
	for (uint32_t i = 0; i < scorep->string_count; i++)
		places[i] = scorep->string_count - 1 - i;
	map = OTF2_IdMap_CreateFromUint64Array(scorep->string_count, places, false);
	MUST(OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_STRING, map));
	OTF2_IdMap_Free(map);
}

static void define_parameter(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	MUST(OTF2_GlobalDefWriter_WriteParameter(writer, 0, scorep_string(scorep, "step"),
						 OTF2_PARAMETER_TYPE_STRING));
}

/* Write a wait with a flush in it, and recording switched off and on. */
static void wait_long(struct scorep *scorep)
{
	OTF2_EvtWriter *writer = scorep->writer;

	scorep_enter(scorep, 1000, "MPI_Wait");
	MUST(OTF2_EvtWriter_BufferFlush(writer, NULL, scorep->time + 100, scorep->time + 900));
	MUST(OTF2_EvtWriter_MeasurementOnOff(writer, NULL, scorep->time + 1000,
					     OTF2_MEASUREMENT_OFF));
	MUST(OTF2_EvtWriter_ParameterString(writer, NULL, scorep->time + 1000, 0,
					    scorep_string(scorep, "first")));
	MUST(OTF2_EvtWriter_MeasurementOnOff(writer, NULL, scorep->time + 1500,
					     OTF2_MEASUREMENT_ON));
	MUST(OTF2_EvtWriter_MpiIsendComplete(writer, NULL, scorep->time + 1900, 3));
	scorep_leave(scorep, 2000, "MPI_Wait");
}

static void events_inside_a_wait_belong_to_it(void **state)
{
	struct scorep scorep = {.define = define_parameter, .define_local = turn_strings};

	scorep_begin(&scorep, path_of(state), 2);
	MUST(OTF2_Archive_SetProperty(scorep.archive, "SCOREP::UNKNOWN", "1", true));
	MUST(OTF2_Archive_SetBoolProperty(scorep.archive, "OTF2::MPI_COMMUNICATION_COMPLETE", false,
					  true));
	scorep_rank(&scorep, 0);
	scorep_enter(&scorep, 1000, "MPI_Isend");
	MUST(OTF2_EvtWriter_MpiIsend(scorep.writer, NULL, scorep.time, 1, SCOREP_WORLD, 7, 64, 3));
	scorep_leave(&scorep, 100, "MPI_Isend");
	wait_long(&scorep);
	scorep_rank_end(&scorep);
	scorep_rank(&scorep, 1);
	scorep_receive(&scorep, SCOREP_WORLD, 0, 7);
	scorep_rank_end(&scorep);
	scorep_end(&scorep);
	feed_expect_rank(path_of(state), 0,
			 "calc 1000\nsend 64 to 1 tag 7 > 0\ncalc 1000 >> 1\ncalc 1000 > 2 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(fences_and_puts_of_scorep_cost_as_in_the_formula),
		TEST(locks_and_groups_of_scorep_are_messages),
		TEST(copies_to_devices_are_computation),
		TEST(threads_of_openmp_that_call_mpi_are_on_cpus_of_their_own),
		TEST(communication_without_records_is_computation_and_reported),
		TEST(events_inside_a_wait_belong_to_it),
#undef TEST
	};

	return cmocka_run_group_tests_name("scorep_programs", tests, NULL, NULL);
}
