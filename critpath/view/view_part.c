#include "critpath/view/view_part.h"

static uint64_t length_ns(const struct measured_run *run)
{
	return measured_since_begin(run, run->end_ns);
}

bool view_part_limits(const struct run_part *part, const struct measured_run *run)
{
	return part->from_ns > 0 || part->to_ns < length_ns(run) || part->ranks.count > 0;
}

bool view_part_has_call(const struct run_part *part, const struct measured_run *run, uint32_t rank,
			uint32_t call)
{
	const struct measured_call *of = &run->ranks[rank].calls.items[call];

	return run_part_has_rank(part, rank) &&
	       run_part_has_time(part, measured_since_begin(run, of->enter_ns),
				 measured_since_begin(run, of->leave_ns));
}

bool view_part_has_segment(const struct run_part *part, const struct walk_segment *segment)
{
	return run_part_has_rank(part, segment->rank) &&
	       run_part_has_time(part, segment->start_ns, segment->end_ns);
}

uint64_t view_part_calls(const struct run_part *part, const struct measured_run *run)
{
	uint64_t count = 0;

	for (uint32_t rank = 0; rank < run->rank_count; rank++) {
		if (!run_part_has_rank(part, rank))
			continue;
		for (uint32_t i = 0; i < run->ranks[rank].calls.count; i++)
			count += view_part_has_call(part, run, rank, i);
	}
	return count;
}

uint64_t view_part_messages(const struct run_part *part, const struct measured_run *run)
{
	uint64_t count = 0;

	for (uint32_t rank = 0; rank < run->rank_count; rank++) {
		for (uint32_t i = 0; i < run->ranks[rank].recvs.count; i++) {
			const struct measured_recv *recv = &run->ranks[rank].recvs.items[i];
			const uint32_t send = run->send_of[rank][i];

			count += send != NO_MATCH &&
				 view_part_has_call(part, run, rank, recv->end) &&
				 view_part_has_call(part, run, recv->peer,
						    run->ranks[recv->peer].sends.items[send].begin);
		}
	}
	return count;
}

uint64_t view_part_from_ns(const struct run_part *part, const struct measured_run *run)
{
	const uint64_t length = length_ns(run);

	return part->from_ns < length ? part->from_ns : length;
}

uint64_t view_part_to_ns(const struct run_part *part, const struct measured_run *run)
{
	const uint64_t length = length_ns(run);

	return part->to_ns < length ? part->to_ns : length;
}
