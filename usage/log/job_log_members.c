#include "usage/log/job_log_members.h"

#include <stddef.h>

const char *const job_end_names[JOB_ENDS] = {
	[JOB_FINALIZED] = "finalize", [JOB_PARTIAL] = "partial", [JOB_EXITED] = "exit",
	[JOB_KILLED] = "killed",      [JOB_RUNNING] = "running", [JOB_OTHER_TOOL] = "other-tool",
};

const char *const job_level_names[JOB_LEVELS] = {
	[JOB_SINGLE] = "single",	 [JOB_FUNNELED] = "funneled",
	[JOB_SERIALIZED] = "serialized", [JOB_MULTIPLE] = "multiple",
	[JOB_LEVEL_UNKNOWN] = "unknown",
};

const char *const job_counter_names[JOB_COUNTER_END] = {
	[JOB_INSTRUCTIONS] = "instructions",
	[JOB_CYCLES] = "cycles",
	[JOB_FLOATING_POINT] = "floating_point",
	[JOB_RSS_BYTES] = "rss_bytes",
	[JOB_USER_NS] = "user_ns",
	[JOB_SYSTEM_NS] = "system_ns",
	[JOB_VOLUNTARY_SWITCHES] = "voluntary_switches",
	[JOB_INVOLUNTARY_SWITCHES] = "involuntary_switches",
};

const char *const job_role_names[JOB_ROLES] = {"first", "most", "least", "average"};

#define MEMBER(type, name, of_kind, ...)                                                          \
	{                                                                                         \
		.key = #name, .kind = of_kind, .offset = offsetof(struct type, name), __VA_ARGS__ \
	}
#define LOG(name, kind, ...) MEMBER(job_log, name, kind, __VA_ARGS__)
#define CELL(of_key, name, of_kind, ...)                                                        \
	{                                                                                       \
		.key = of_key, .kind = of_kind, .offset = offsetof(struct job_cell, cell.name), \
		__VA_ARGS__                                                                     \
	}

const struct job_member job_log_members[] = {
	LOG(system, JOB_MEMBER_TEXT),
	LOG(job, JOB_MEMBER_TEXT),
	LOG(step, JOB_MEMBER_TEXT),
	LOG(parent, JOB_MEMBER_TEXT),
	LOG(user, JOB_MEMBER_TEXT),
	LOG(program, JOB_MEMBER_TEXT),
	LOG(build_id, JOB_MEMBER_TEXT),
	LOG(args_hash, JOB_MEMBER_HASH),
	LOG(library, JOB_MEMBER_TEXT),
	LOG(clock, JOB_MEMBER_TEXT),
	LOG(clock_hz, JOB_MEMBER_NUMBER),
	LOG(reason, JOB_MEMBER_TEXT),
	LOG(start_unix_ns, JOB_MEMBER_NUMBER),
	LOG(end, JOB_MEMBER_CHOICE, .names = job_end_names, .most = JOB_ENDS - 1),
	LOG(mpi_ns, JOB_MEMBER_NUMBER),
	LOG(process_ns, JOB_MEMBER_NUMBER),
	LOG(ranks, JOB_MEMBER_COUNT),
	LOG(nodes, JOB_MEMBER_COUNT),
	LOG(ranks_seen, JOB_MEMBER_COUNT),
	LOG(nodes_seen, JOB_MEMBER_COUNT),
	LOG(threads, JOB_MEMBER_COUNT),
	LOG(level_asked, JOB_MEMBER_CHOICE, .names = job_level_names, .most = JOB_LEVELS - 1),
	LOG(level_given, JOB_MEMBER_CHOICE, .names = job_level_names, .most = JOB_LEVELS - 1),
	LOG(overflow, JOB_MEMBER_TRUTH),
	LOG(mean_ns, JOB_MEMBER_REAL),
	LOG(deviation_ns, JOB_MEMBER_REAL),
	LOG(least_ns, JOB_MEMBER_NUMBER),
	LOG(most_ns, JOB_MEMBER_NUMBER),
	LOG(quantiles_ns, JOB_MEMBER_NUMBERS, .most = JOB_QUANTILES),
	{0},
};

const struct job_member job_nodes_members[] = {
	MEMBER(job_nodes, ranks, JOB_MEMBER_COUNT),
	MEMBER(job_nodes, nodes, JOB_MEMBER_COUNT),
	{0},
};

const struct job_member job_cell_members[] = {
	CELL("function", key.function, JOB_MEMBER_FUNCTION),
	CELL("size_class", key.size_class, JOB_MEMBER_SMALL, .most = USAGE_SIZE_CLASSES - 1),
	CELL("comm_class", key.comm_class, JOB_MEMBER_SMALL, .most = USAGE_COMM_CLASSES - 1),
	CELL("place", key.place, JOB_MEMBER_SMALL, .most = USAGE_PLACES - 1),
	CELL("failed", key.failed, JOB_MEMBER_SMALL, .most = 1),
	CELL("calls", calls, JOB_MEMBER_NUMBER),
	CELL("bytes", bytes, JOB_MEMBER_NUMBER),
	CELL("moved", moved, JOB_MEMBER_NUMBER),
	CELL("ns", ticks, JOB_MEMBER_NUMBER),
	CELL("least_ns", least, JOB_MEMBER_NUMBER),
	CELL("most_ns", most, JOB_MEMBER_NUMBER),
	MEMBER(job_cell, rank_most_ns, JOB_MEMBER_NUMBER),
	MEMBER(job_cell, ranks, JOB_MEMBER_COUNT),
	CELL("bins", bins, JOB_MEMBER_NUMBERS, .most = USAGE_TIME_BINS),
	{0},
};

const struct job_member job_rank_members[] = {
	MEMBER(job_rank, rank, JOB_MEMBER_COUNT),
	MEMBER(job_rank, host, JOB_MEMBER_TEXT),
	MEMBER(job_rank, mpi_ns, JOB_MEMBER_NUMBER),
	MEMBER(job_rank, local_ns, JOB_MEMBER_NUMBER),
	{0},
};

const struct job_member job_calls_members[] = {
	MEMBER(job_calls, function, JOB_MEMBER_FUNCTION),
	MEMBER(job_calls, calls, JOB_MEMBER_NUMBER),
	MEMBER(job_calls, bytes, JOB_MEMBER_NUMBER),
	MEMBER(job_calls, moved, JOB_MEMBER_NUMBER),
	MEMBER(job_calls, ns, JOB_MEMBER_NUMBER),
	{0},
};
