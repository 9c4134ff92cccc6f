/* Tests from archives of Score-P to graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/lib/damage.h"
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

static const char *path_of(void **state, const char *name)
{
	static char path[600];

	snprintf(path, sizeof path, "%s/%s", (char *)*state, name);
	return path;
}

/* ---------------------------------------------------------------------- calls */

static void collective(struct scorep *scorep, const char *name, OTF2_CollectiveOp op, uint32_t comm,
		       uint32_t root, uint64_t sent, uint64_t received)
{
	scorep_enter(scorep, 1000, name);
	MUST(OTF2_EvtWriter_MpiCollectiveBegin(scorep->writer, NULL, scorep->time));
	MUST(OTF2_EvtWriter_MpiCollectiveEnd(scorep->writer, NULL, scorep->time + 490, op, comm,
					     root, sent, received));
	scorep_leave(scorep, 500, name);
}

/* Write an archive in which `act` writes calls of rank 0, and return its path. */
static const char *make(void **state, const char *name, struct scorep *scorep,
			void (*act)(struct scorep *scorep))
{
	const char *path = path_of(state, name);

	scorep_begin(scorep, path, 2);
	scorep_rank(scorep, 0);
	act(scorep);
	scorep_rank_end(scorep);
	scorep_rank(scorep, 1);
	scorep_receive(scorep, SCOREP_WORLD, 0, 7);
	scorep_rank_end(scorep);
	scorep_end(scorep);
	return path;
}

/* ----------------------------------------------------- records besides MPI calls */

enum { METRIC_CLASS = 0, PARAMETER = 0, WINDOW = 0, IO_HANDLE = 0 };

static void define_others(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	const OTF2_MetricMemberRef members[] = {0};
	uint32_t cycles = scorep_string(scorep, "PAPI_TOT_CYC"), unit = scorep_string(scorep, "#");

	MUST(OTF2_GlobalDefWriter_WriteMetricMember(writer, 0, cycles, 0, OTF2_METRIC_TYPE_PAPI,
						    OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
						    OTF2_BASE_DECIMAL, 0, unit));
	MUST(OTF2_GlobalDefWriter_WriteMetricClass(writer, METRIC_CLASS, 1, members,
						   OTF2_METRIC_SYNCHRONOUS_STRICT,
						   OTF2_RECORDER_KIND_CPU));
	MUST(OTF2_GlobalDefWriter_WriteMetricClass(writer, 1, 1, members, OTF2_METRIC_ASYNCHRONOUS,
						   OTF2_RECORDER_KIND_ABSTRACT));
	MUST(OTF2_GlobalDefWriter_WriteMetricInstance(writer, 2, 1, 1000, OTF2_SCOPE_LOCATION, 0));
	MUST(OTF2_GlobalDefWriter_WriteParameter(writer, PARAMETER,
						 scorep_string(scorep, "iteration"),
						 OTF2_PARAMETER_TYPE_STRING));
	MUST(OTF2_GlobalDefWriter_WriteRmaWin(writer, WINDOW, scorep_string(scorep, "Win"), 1,
					      OTF2_RMA_WIN_FLAG_NONE));
	MUST(OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, 0, scorep_string(scorep, "app.c"),
							  7));
	MUST(OTF2_GlobalDefWriter_WriteAttribute(writer, 0, scorep_string(scorep, "ThreadId"), 0,
						 OTF2_TYPE_UINT64));
}

static void count_cycles(struct scorep *scorep)
{
	const OTF2_Type type = OTF2_TYPE_UINT64;
	const OTF2_MetricValue value = {.unsigned_int = scorep->time};

	MUST(OTF2_EvtWriter_Metric(scorep->writer, NULL, scorep->time, METRIC_CLASS, 1, &type,
				   &value));
}

/* Write calls with strict metrics, which precede each Enter and Leave with its time. */
static void act_with_others(struct scorep *scorep)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	scorep->time += 100;
	count_cycles(scorep);
	scorep_enter(scorep, 0, "solve");
	MUST(OTF2_EvtWriter_ParameterString(scorep->writer, NULL, scorep->time, PARAMETER,
					    scorep_string(scorep, "first")));
	scorep_enter(scorep, 100, "MPI_Win_create");
	MUST(OTF2_EvtWriter_RmaCollectiveBegin(scorep->writer, NULL, scorep->time));
	MUST(OTF2_EvtWriter_RmaWinCreate(scorep->writer, NULL, scorep->time + 10, WINDOW));
	MUST(OTF2_EvtWriter_RmaCollectiveEnd(scorep->writer, NULL, scorep->time + 10,
					     OTF2_COLLECTIVE_OP_CREATE_HANDLE,
					     OTF2_RMA_SYNC_LEVEL_NONE, WINDOW,
					     OTF2_UNDEFINED_UINT32, 0, 0));
	scorep_leave(scorep, 300, "MPI_Win_create");
	scorep_enter(scorep, 100, "MPI_File_write");
	MUST(OTF2_EvtWriter_IoOperationBegin(scorep->writer, NULL, scorep->time, IO_HANDLE,
					     OTF2_IO_OPERATION_MODE_WRITE,
					     OTF2_IO_OPERATION_FLAG_NONE, 4096, 1));
	MUST(OTF2_EvtWriter_IoOperationComplete(scorep->writer, NULL, scorep->time + 10, IO_HANDLE,
						4096, 1));
	scorep_leave(scorep, 200, "MPI_File_write");
	OTF2_AttributeList_AddUint64(list, 0, 4711);
	scorep->time += 200;
	MUST(OTF2_EvtWriter_Enter(scorep->writer, list, scorep->time,
				  scorep_region(scorep, "MPI_Send")));
	MUST(OTF2_EvtWriter_MpiSend(scorep->writer, NULL, scorep->time, 1, SCOREP_WORLD, 7, 64));
	count_cycles(scorep);
	scorep_leave(scorep, 500, "MPI_Send");
	scorep_leave(scorep, 100, "solve");
	OTF2_AttributeList_Delete(list);
}

static void time_outside_of_mpi_calls_is_computation(void **state)
{
	struct scorep scorep = {.define = define_others};

	/*
	 * 100 to solve, 100 to 300 of Win_create, 100, 200 of File_write, 200; at the end 100 +
	 * 1000.
	 */
	feed_expect_rank(make(state, "others", &scorep, act_with_others), 0,
	       "calc 1000\nsend 64 to 1 tag 7 > 0\ncalc 1100 > 1\n");
}

/* --------------------------------------------------------- wrong numbers of events */

static uint64_t none(uint64_t events)
{
	return events * 0;
}

static uint64_t fewer(uint64_t events)
{
	return events - 3;
}

static uint64_t more(uint64_t events)
{
	return events + 3;
}

static void act_send(struct scorep *scorep)
{
	scorep_send(scorep, SCOREP_WORLD, 1, 7);
}

static void a_wrong_number_of_events_is_reported_and_all_are_read(void **state)
{
	uint64_t (*const wrong[])(uint64_t) = {none, fewer, more};
	static const char *const names[] = {"none", "fewer", "more"};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct scorep scorep = {.state_events = wrong[i]};
		struct trace_left_out left_out = feed_expect_rank(
			make(state, names[i], &scorep, act_send), 0,
			"calc 1000\nsend 64 to 1 tag 7 > 0\ncalc 1000 > 1\n");

		assert_int_equal(left_out.miscounted_locations, 1);
	}
}

/* Rank 0 has a second thread too.  The thread of rank 1 has neither events nor a file. */
static void threads_are_read_whatever_their_number_of_events(void **state)
{
	const char *path = path_of(state, "threads_without_number");
	struct scorep scorep = {.state_events = none};
	struct trace_left_out left_out;

	scorep_begin(&scorep, path, 2);
	scorep_rank(&scorep, 0);
	scorep.time += 50000;
	scorep_rank_end(&scorep);
	scorep_location(&scorep, UINT64_C(1) << 32, OTF2_LOCATION_TYPE_CPU_THREAD, 0);
	scorep.time = 20000;
	scorep_send(&scorep, SCOREP_WORLD, 1, 7);
	scorep_location_end(&scorep);
	scorep_rank(&scorep, 1);
	scorep_receive(&scorep, SCOREP_WORLD, 0, 7);
	scorep_rank_end(&scorep);
	scorep.locations[scorep.location_count++] =
		(struct scorep_location){7, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 1};
	scorep_end(&scorep);
	left_out = feed_expect_rank(path, 0, "calc 11000 cpu 1\nsend 64 to 1 tag 7 cpu 1 > 0\n"
				    "calc 51000\n");
	assert_int_equal(left_out.miscounted_locations, 2);
	assert_int_equal(left_out.idle_threads, 0);
	left_out = feed_expect_rank(path, 1,
				    "calc 1000\nrecv 64 from 0 tag 7 > 0\ncalc 1000 > 1\n");
	assert_int_equal(left_out.idle_threads, 0);
}

/* ---------------------------------------------------------------- time is lost */

static void act_off(struct scorep *scorep)
{
	scorep_enter(scorep, 1000, "MEASUREMENT OFF");
	MUST(OTF2_EvtWriter_MeasurementOnOff(scorep->writer, NULL, scorep->time,
					     OTF2_MEASUREMENT_OFF));
	scorep->time += 5000;
	MUST(OTF2_EvtWriter_MeasurementOnOff(scorep->writer, NULL, scorep->time,
					     OTF2_MEASUREMENT_ON));
	scorep_leave(scorep, 0, "MEASUREMENT OFF");
	scorep_send(scorep, SCOREP_WORLD, 1, 7);
}

static void time_without_recording_is_computation_and_reported(void **state)
{
	struct scorep scorep = {0};
	const char *path = make(state, "off", &scorep, act_off);
	struct trace_reader *reader;
	const struct function_statistics *off = NULL;
	struct feed feed;

	feed_expect_rank(path, 0, "calc 7000\nsend 64 to 1 tag 7 > 0\ncalc 1000 > 1\n");
	assert_int_equal(feed_trace(&feed, path, 0, &reader), 0);
	for (size_t i = 0; i < feed.convert.statistics.list.count; i++)
		if (!strcmp(feed.convert.statistics.list.items[i].is.name, "(recording off)"))
			off = &feed.convert.statistics.list.items[i];
	assert_non_null(off);
	assert_int_equal(off->not_modelled_calls, 1);
	assert_int_equal(off->not_modelled_ns, 5000);
	feed_release(&feed);
	trace_reader_close(reader);
}

/* Write a flush.  OTF2 writes it when a buffer is full: between any two events. */
static void act_flush(struct scorep *scorep)
{
	scorep->time += 1000;
	MUST(OTF2_EvtWriter_BufferFlush(scorep->writer, NULL, scorep->time, scorep->time + 70000));
	scorep->time += 70000;
	scorep_enter(scorep, 300, "solve");
	MUST(OTF2_EvtWriter_BufferFlush(scorep->writer, NULL, scorep->time + 100,
					scorep->time + 5100));
	scorep_leave(scorep, 5200, "solve");
	scorep_send(scorep, SCOREP_WORLD, 1, 7);
}

static void time_of_writing_trace_data_is_left_out(void **state)
{
	struct scorep scorep = {0};

	feed_expect_rank(make(state, "flush", &scorep, act_flush), 0,
	       "calc 2500\nsend 64 to 1 tag 7 > 0\ncalc 1000 > 1\n");
}

/* ------------------------------------------------------------------------ clocks */

/* Let the offset grow from 0 to 10000 between 10000 and 110000: the clock is 10 % slow. */
static void drift(struct scorep *scorep, OTF2_DefWriter *writer, uint64_t location)
{
	(void)scorep;
	if (location)
		return;
	MUST(OTF2_DefWriter_WriteClockOffset(writer, 10000, 0, 0));
	MUST(OTF2_DefWriter_WriteClockOffset(writer, 110000, 10000, 0));
}

static void act_slowly(struct scorep *scorep)
{
	scorep->time += 49000;
	scorep_send(scorep, SCOREP_WORLD, 1, 7);
	scorep->time += 48500;
}

static void clock_offsets_are_interpolated(void **state)
{
	struct scorep scorep = {.define_local = drift};

	feed_expect_rank(make(state, "drift", &scorep, act_slowly), 0,
	       "calc 55000\nsend 64 to 1 tag 7 > 0\ncalc 54450 > 1\n");
}

static void act_simply(struct scorep *scorep)
{
	scorep_send(scorep, SCOREP_WORLD, 1, 7);
}

static void ticks_of_other_lengths_become_nanoseconds(void **state)
{
	struct scorep scorep = {.ticks_per_second = 3000000000};

	feed_expect_rank(make(state, "ticks", &scorep, act_simply), 0,
	       "calc 333\nsend 64 to 1 tag 7 > 0\ncalc 333 > 1\n");
}

/* -------------------------------------------------------------- call paths, threads */

static void define_calling_contexts(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	uint32_t solve = scorep_region(scorep, "solve"), send = scorep_region(scorep, "MPI_Send");

	MUST(OTF2_GlobalDefWriter_WriteCallingContext(writer, 0, solve,
						      OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
						      OTF2_UNDEFINED_CALLING_CONTEXT));
	MUST(OTF2_GlobalDefWriter_WriteCallingContext(writer, 1, send,
						      OTF2_UNDEFINED_SOURCE_CODE_LOCATION, 0));
	MUST(OTF2_GlobalDefWriter_WriteInterruptGenerator(
		writer, 0, scorep_string(scorep, "sampling"), OTF2_INTERRUPT_GENERATOR_MODE_COUNT,
		OTF2_BASE_DECIMAL, 0, 1000));
}

/* Write the events that replace Enter and Leave with SCOREP_ENABLE_UNWINDING. */
static void act_unwinding(struct scorep *scorep)
{
	scorep_region(scorep, "solve");
	scorep_region(scorep, "MPI_Send");
	MUST(OTF2_EvtWriter_CallingContextSample(scorep->writer, NULL, scorep->time + 100, 0, 1,
						 0));
	scorep->time += 1000;
	MUST(OTF2_EvtWriter_CallingContextEnter(scorep->writer, NULL, scorep->time, 1, 2));
	MUST(OTF2_EvtWriter_MpiSend(scorep->writer, NULL, scorep->time, 1, SCOREP_WORLD, 7, 64));
	scorep->time += 500;
	MUST(OTF2_EvtWriter_CallingContextLeave(scorep->writer, NULL, scorep->time, 1));
}

static void calls_with_their_call_path_are_calls(void **state)
{
	struct scorep scorep = {.define = define_calling_contexts};

	feed_expect_rank(make(state, "unwinding", &scorep, act_unwinding), 0,
	       "calc 1000\nsend 64 to 1 tag 7 > 0\ncalc 1000 > 1\n");
}

static void define_team(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	const uint64_t locations[] = {0, UINT64_C(1) << 32}, team[] = {0, 1};

	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, SCOREP_OWN_GROUP, 0,
					     OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
					     OTF2_GROUP_FLAG_NONE, 2, locations));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, SCOREP_OWN_GROUP + 1,
					     scorep_string(scorep, "OpenMP team 0"),
					     OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
					     OTF2_GROUP_FLAG_NONE, 2, team));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, SCOREP_GLOBAL_OWN, 0, SCOREP_OWN_GROUP + 1,
					    OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

/* Write the events of a thread in a parallel region. */
static void act_in_team(struct scorep *scorep)
{
	scorep->time += 200;
	MUST(OTF2_EvtWriter_ThreadTeamBegin(scorep->writer, NULL, scorep->time, SCOREP_OWN));
	scorep_enter(scorep, 0, "!$omp parallel @app.c:7");
	scorep_enter(scorep, 1000, "!$omp implicit barrier @app.c:9");
	scorep_leave(scorep, 100, "!$omp implicit barrier @app.c:9");
	scorep_leave(scorep, 0, "!$omp parallel @app.c:7");
	MUST(OTF2_EvtWriter_ThreadTeamEnd(scorep->writer, NULL, scorep->time, SCOREP_OWN));
}

static void act_openmp(struct scorep *scorep)
{
	scorep->time += 1000;
	MUST(OTF2_EvtWriter_ThreadFork(scorep->writer, NULL, scorep->time, OTF2_PARADIGM_OPENMP,
				       2));
	act_in_team(scorep);
	MUST(OTF2_EvtWriter_ThreadJoin(scorep->writer, NULL, scorep->time + 700,
				       OTF2_PARADIGM_OPENMP));
	scorep->time += 700;
	scorep_send(scorep, SCOREP_WORLD, 1, 7);
}

static void parallel_regions_are_computation_of_the_master(void **state)
{
	const char *path = path_of(state, "openmp");
	struct scorep scorep = {.define = define_team};

	scorep_begin(&scorep, path, 2);
	scorep_rank(&scorep, 0);
	act_openmp(&scorep);
	scorep_rank_end(&scorep);
	scorep_location(&scorep, UINT64_C(1) << 32, OTF2_LOCATION_TYPE_CPU_THREAD, 0);
	scorep.time = 11000;
	act_in_team(&scorep);
	scorep_location_end(&scorep);
	scorep_rank(&scorep, 1);
	scorep_receive(&scorep, SCOREP_WORLD, 0, 7);
	scorep_rank_end(&scorep);
	/* Sampled metrics and streams of an accelerator have locations too. */
	scorep_location(&scorep, 1000, OTF2_LOCATION_TYPE_METRIC, 1);
	count_cycles(&scorep);
	scorep_location_end(&scorep);
	scorep_end(&scorep);
	feed_expect_rank(path, 0, "calc 4000\nsend 64 to 1 tag 7 > 0\ncalc 1000 > 1\n");
	feed_expect_rank(path, 1, "calc 1000\nrecv 64 from 0 tag 7 > 0\ncalc 1000 > 1\n");
}

/* -------------------------------------------------------------- numbers of a location */

static void define_turned_regions(struct scorep *scorep, OTF2_DefWriter *writer, uint64_t location)
{
	uint64_t places[SCOREP_STRINGS];
	OTF2_IdMap *map;

	if (location)
		return;
	/* Rank 0's local ids of MPI_Send and main are exchanged. */
	for (uint32_t i = 0; i < scorep->region_count; i++)
		places[i] = i;
	places[scorep_region(scorep, "MPI_Send")] = scorep_region(scorep, "int main(int, char**)");
	places[scorep_region(scorep, "int main(int, char**)")] = scorep_region(scorep, "MPI_Send");
	map = OTF2_IdMap_CreateFromUint64Array(scorep->region_count, places, false);
	MUST(OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map));
	OTF2_IdMap_Free(map);
}

static void act_turned(struct scorep *scorep)
{
	/* In this archive main has the local id of MPI_Send: leave it. */
	scorep_region(scorep, "MPI_Send");
	scorep_enter(scorep, 1000, "int main(int, char**)");
	MUST(OTF2_EvtWriter_MpiSend(scorep->writer, NULL, scorep->time, 0, SCOREP_WORLD, 7, 64));
	scorep_leave(scorep, 500, "int main(int, char**)");
}

static void regions_have_numbers_of_their_own_in_each_location(void **state)
{
	struct scorep scorep = {.define_local = define_turned_regions};

	scorep_begin(&scorep, path_of(state, "turned"), 1);
	scorep_location(&scorep, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0);
	scorep_enter(&scorep, 1000, "MPI_Init");
	scorep_leave(&scorep, 1000, "MPI_Init");
	act_turned(&scorep);
	scorep_location_end(&scorep);
	scorep_end(&scorep);
	feed_expect_rank(path_of(state, "turned"), 0, "calc 1000\nsend 64 to 0 tag 7 > 0\n");
}

static void act_in_global_numbers(struct scorep *scorep)
{
	scorep_send(scorep, 1, 1, 7);	/* MPI_COMM_WORLD among the global definitions */
}

static void archives_without_local_definitions_are_read(void **state)
{
	struct scorep scorep = {.no_local_definitions = true};

	feed_expect_rank(make(state, "global", &scorep, act_in_global_numbers), 0,
	       "calc 1000\nsend 64 to 1 tag 7 > 0\ncalc 1000 > 1\n");
}

/* ------------------------------------------------------------------------ requests */

/* Write requests whose ids repeat: persistent ones, and others after completion. */
static void act_requests(struct scorep *scorep)
{
	for (int round = 0; round < 2; round++) {
		scorep_enter(scorep, 1000, "MPI_Startall");
		MUST(OTF2_EvtWriter_MpiIsend(scorep->writer, NULL, scorep->time, 1, SCOREP_WORLD, 7,
					     8, 5));
		MUST(OTF2_EvtWriter_MpiIrecvRequest(scorep->writer, NULL, scorep->time, 6));
		scorep_leave(scorep, 500, "MPI_Startall");
		scorep_enter(scorep, 1000, "MPI_Testsome");
		MUST(OTF2_EvtWriter_MpiRequestTest(scorep->writer, NULL, scorep->time, 5));
		MUST(OTF2_EvtWriter_MpiIrecv(scorep->writer, NULL, scorep->time, 1, SCOREP_WORLD, 8,
					     16, 6));
		scorep_leave(scorep, 500, "MPI_Testsome");
		scorep_enter(scorep, 1000, "MPI_Wait");
		MUST(OTF2_EvtWriter_MpiIsendComplete(scorep->writer, NULL, scorep->time, 5));
		scorep_leave(scorep, 500, "MPI_Wait");
	}
	scorep_enter(scorep, 1000, "MPI_Irecv");
	MUST(OTF2_EvtWriter_MpiIrecvRequest(scorep->writer, NULL, scorep->time, 7));
	scorep_leave(scorep, 500, "MPI_Irecv");
	scorep_enter(scorep, 1000, "MPI_Wait");
	MUST(OTF2_EvtWriter_MpiRequestCancelled(scorep->writer, NULL, scorep->time, 7));
	scorep_leave(scorep, 500, "MPI_Wait");
}

static void requests_may_have_the_same_number_again(void **state)
{
	struct scorep scorep = {0};

	feed_expect_rank(make(state, "requests", &scorep, act_requests), 0,
	       "calc 1000\n"
	       "send 8 to 1 tag 7 > 0\n"
	       "recv 16 from 1 tag 8 >> 1\n"
	       "calc 1000 >> 1\n"
	       "calc 1000 > 3 2\n"
	       "calc 1000 > 4 1\n"
	       "send 8 to 1 tag 7 > 5\n"
	       "recv 16 from 1 tag 8 >> 6\n"
	       "calc 1000 >> 6\n"
	       "calc 1000 > 8 7\n"
	       "calc 1000 > 9 6\n"
	       "calc 0 > 10\n"
	       "calc 1000 > 10\n"
	       "calc 1000 > 12\n");
}

/* --------------------------------------------------- collectives and communicators */

static void define_comms(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	const uint64_t turned[] = {1, 0}, first[] = {0}, second[] = {1};
	const OTF2_GroupFlag none = OTF2_GROUP_FLAG_NONE;
	const OTF2_CommFlag events = OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS;

	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, SCOREP_OWN_GROUP, 0,
					     OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, none, 2,
					     turned));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, SCOREP_OWN_GROUP + 1, 0,
					     OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, none, 1,
					     first));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, SCOREP_OWN_GROUP + 2, 0,
					     OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, none, 1,
					     second));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, SCOREP_GLOBAL_OWN, 0, SCOREP_OWN_GROUP, 1,
					    events));
	MUST(OTF2_GlobalDefWriter_WriteInterComm(writer, SCOREP_GLOBAL_OWN + 1,
						 scorep_string(scorep, "inter"),
						 SCOREP_OWN_GROUP + 1, SCOREP_OWN_GROUP + 2, 1,
						 events));
}

static void act_communicators(struct scorep *scorep)
{
	OTF2_EvtWriter *writer = scorep->writer;

	scorep_enter(scorep, 1000, "MPI_Comm_split");
	MUST(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, scorep->time));
	MUST(OTF2_EvtWriter_CommCreate(writer, NULL, scorep->time, SCOREP_OWN));
	MUST(OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, scorep->time,
					     OTF2_COLLECTIVE_OP_CREATE_HANDLE, SCOREP_WORLD,
					     OTF2_UNDEFINED_UINT32, 0, 0));
	scorep_leave(scorep, 500, "MPI_Comm_split");
	scorep_send(scorep, SCOREP_OWN, 0, 7);		/* rank 0 of it is rank 1 of all */
	scorep_enter(scorep, 1000, "MPI_Comm_free");
	MUST(OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, scorep->time));
	MUST(OTF2_EvtWriter_CommDestroy(writer, NULL, scorep->time, SCOREP_OWN));
	MUST(OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, scorep->time,
					     OTF2_COLLECTIVE_OP_DESTROY_HANDLE, SCOREP_OWN,
					     OTF2_UNDEFINED_UINT32, 0, 0));
	scorep_leave(scorep, 500, "MPI_Comm_free");
	scorep_send(scorep, SCOREP_OWN + 1, 0, 7);	/* the only rank of the remote group */
}

static void communicators_come_and_go(void **state)
{
	struct scorep scorep = {.define = define_comms};

	feed_expect_rank(make(state, "comms", &scorep, act_communicators), 0,
	       "calc 1000\n"
	       "send 0 to 1 tag 2147483648 > 0\n"
	       "recv 0 from 1 tag 2147483648 > 0\n"
	       "calc 1000 > 1 2\n"
	       "send 64 to 1 tag 2147483649 > 3\n"
	       "calc 2500 > 4\n"	/* freeing it takes 500 */
	       "send 64 to 1 tag 2147483650 > 5\n"
	       "calc 1000 > 6\n");
}

static void act_nonblocking(struct scorep *scorep)
{
	OTF2_EvtWriter *writer = scorep->writer;

	scorep_enter(scorep, 1000, "MPI_Iallreduce");
	MUST(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, NULL, scorep->time, 9));
	scorep_leave(scorep, 500, "MPI_Iallreduce");
	scorep_enter(scorep, 1000, "MPI_Comm_idup");
	MUST(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, NULL, scorep->time, 10));
	scorep_leave(scorep, 500, "MPI_Comm_idup");
	scorep_enter(scorep, 1000, "MPI_Waitall");
	MUST(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, NULL, scorep->time,
							  OTF2_COLLECTIVE_OP_ALLREDUCE,
							  SCOREP_WORLD, OTF2_UNDEFINED_UINT32, 16,
							  16, 9));
	MUST(OTF2_EvtWriter_CommCreate(writer, NULL, scorep->time, SCOREP_OWN));
	MUST(OTF2_EvtWriter_NonBlockingCollectiveComplete(
		writer, NULL, scorep->time, OTF2_COLLECTIVE_OP_CREATE_HANDLE, SCOREP_WORLD,
		OTF2_UNDEFINED_UINT32, 0, 0, 10));
	scorep_leave(scorep, 500, "MPI_Waitall");
}

static void nonblocking_collectives_run_beside_computation(void **state)
{
	struct scorep scorep = {.define = define_comms};

	feed_expect_rank(make(state, "nonblocking", &scorep, act_nonblocking), 0,
	       "calc 1000\n"
	       "calc 1000 > 0\n"
	       "calc 1000 > 1\n"
	       "send 8 to 1 tag 2147483648 > 0\n"
	       "recv 8 from 1 tag 2147483648 > 0\n"
	       "send 0 to 1 tag 2147483649 > 1\n"
	       "recv 0 from 1 tag 2147483649 > 1\n"
	       "calc 1000 > 2 3 4 5 6\n");
}

static void act_vectors(struct scorep *scorep)
{
	collective(scorep, "MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, SCOREP_WORLD,
		   OTF2_UNDEFINED_UINT32, 100, 60);
	collective(scorep, "MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV, SCOREP_WORLD, 0, 10, 50);
}

static void vectors_that_are_missing_are_spread_evenly(void **state)
{
	struct scorep scorep = {0};
	const char *path = make(state, "vectors", &scorep, act_vectors);
	struct trace_reader *reader;
	struct feed feed;

	assert_int_equal(feed_trace(&feed, path, 0, &reader), 0);
	feed_expect(&feed, "calc 1000\n"
			   "recv 50 from 1 tag 2147483648 > 0\n"
			   "send 50 to 1 tag 2147483648 > 0\n"
			   "calc 1000 > 1 2\n"
			   "recv 25 from 1 tag 2147483648 > 3\n"
			   "calc 1000 > 4\n");
	assert_int_equal(feed.convert.totals.guessed_collectives, 2);
	feed_release(&feed);
	trace_reader_close(reader);
}

/* Define a group whose members are locations. */
static void define_global_members(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	const uint64_t locations[] = {UINT64_C(1) << 40, 3}, turned[] = {3, UINT64_C(1) << 40};

	(void)scorep;
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, SCOREP_OWN_GROUP, 0,
					     OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
					     OTF2_GROUP_FLAG_NONE, 2, locations));
	MUST(OTF2_GlobalDefWriter_WriteGroup(writer, SCOREP_OWN_GROUP + 1, 0,
					     OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
					     OTF2_GROUP_FLAG_GLOBAL_MEMBERS, 2, turned));
	MUST(OTF2_GlobalDefWriter_WriteComm(writer, SCOREP_GLOBAL_OWN, 0, SCOREP_OWN_GROUP + 1,
					    OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void groups_of_locations_are_ranks(void **state)
{
	struct scorep scorep = {.define = define_global_members};

	scorep_begin(&scorep, path_of(state, "members"), 1);
	scorep_location(&scorep, 3, OTF2_LOCATION_TYPE_CPU_THREAD, 0);
	scorep_enter(&scorep, 1000, "MPI_Init");
	scorep_leave(&scorep, 1000, "MPI_Init");
	scorep_send(&scorep, SCOREP_OWN, 1, 7);
	scorep_location_end(&scorep);
	scorep_location(&scorep, UINT64_C(1) << 40, OTF2_LOCATION_TYPE_CPU_THREAD, 0);
	scorep_location_end(&scorep);
	scorep_location(&scorep, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0);
	scorep_location_end(&scorep);
	scorep_end(&scorep);
	feed_expect_rank(path_of(state, "members"), 1,
			 "calc 1000\nsend 64 to 0 tag 2147483648 > 0\n");
}

/* ---------------------------------------------------------------------- damage */

#ifdef __SANITIZE_ADDRESS__
enum { CUT_STEP = 37, DAMAGED = 40 };
#else
enum { CUT_STEP = 3, DAMAGED = 600 };
#endif

static const char *const files[] = {
	"bad/traces.otf2", "bad/traces.def", "bad/traces/0.evt", "bad/traces/1.evt",
	"bad/traces/0.def", "bad/traces/1.def"
};
enum { FILES = sizeof files / sizeof *files };

static void define_all(struct scorep *scorep, OTF2_GlobalDefWriter *writer)
{
	define_others(scorep, writer);
	define_comms(scorep, writer);
	define_calling_contexts(scorep, writer);
}

static void act_all(struct scorep *scorep)
{
	act_with_others(scorep);
	act_off(scorep);
	act_flush(scorep);
	act_requests(scorep);
	act_communicators(scorep);
	act_nonblocking(scorep);
	act_vectors(scorep);
	act_unwinding(scorep);
}

/* Check whether the archive "bad" can be converted. */
static bool is_converted(void *data)
{
	struct trace_reader *reader = NULL;
	struct feed feed;
	bool read = feed_trace(&feed, path_of(data, "bad"), 0, &reader) == 0;

	if (!read) {
		assert_in_range(feed.err.status, STATUS_DATA, STATUS_LIMIT);
		assert_non_null(strstr(feed.err.text, "bad"));
	}
	feed_release(&feed);
	trace_reader_close(reader);
	return read;
}

static void cut_archives_are_refused(void **state)
{
	struct scorep scorep = {.define = define_all, .define_local = drift};

	make(state, "bad", &scorep, act_all);
	assert_true(is_converted(state));
	for (int i = 0; i < FILES; i++) {
		char *path = strdup(path_of(state, files[i]));

		/* Rank 1 is not read, and some data may be unused at the end of a file. */
		if (!strstr(path, "/1."))
			assert_in_range(damage_cut(path, CUT_STEP, is_converted, state), 0, 3);
		free(path);
	}
}

static void damaged_archives_do_no_harm(void **state)
{
	uint64_t numbers = 5;
	uint32_t refused = 0;

	for (int i = 0; i < FILES; i++) {
		char *path = strdup(path_of(state, files[i]));

		refused += damage_some(path, DAMAGED / FILES, &numbers, is_converted, state);
		free(path);
	}
	assert_in_range(refused, DAMAGED / 10, DAMAGED - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_outside_of_mpi_calls_is_computation),
		cmocka_unit_test(a_wrong_number_of_events_is_reported_and_all_are_read),
		cmocka_unit_test(threads_are_read_whatever_their_number_of_events),
		cmocka_unit_test(time_without_recording_is_computation_and_reported),
		cmocka_unit_test(time_of_writing_trace_data_is_left_out),
		cmocka_unit_test(clock_offsets_are_interpolated),
		cmocka_unit_test(ticks_of_other_lengths_become_nanoseconds),
		cmocka_unit_test(calls_with_their_call_path_are_calls),
		cmocka_unit_test(parallel_regions_are_computation_of_the_master),
		cmocka_unit_test(regions_have_numbers_of_their_own_in_each_location),
		cmocka_unit_test(archives_without_local_definitions_are_read),
		cmocka_unit_test(requests_may_have_the_same_number_again),
		cmocka_unit_test(communicators_come_and_go),
		cmocka_unit_test(nonblocking_collectives_run_beside_computation),
		cmocka_unit_test(vectors_that_are_missing_are_spread_evenly),
		cmocka_unit_test(groups_of_locations_are_ranks),
		cmocka_unit_test(cut_archives_are_refused),
		cmocka_unit_test(damaged_archives_do_no_harm),
	};

	return cmocka_run_group_tests_name("scorep", tests, setup, teardown);
}
