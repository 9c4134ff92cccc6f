#include "test/unit/lib/make/make_play.h"

#include "test/unit/lib/make/feed.h"

void play_begin(struct play *play, uint32_t ranks)
{
	*play = (struct play){.unit_ns = 1};
	made_begin(&play->made, ranks);
}

void play_compute(struct play *play, uint32_t rank, const char *name, uint64_t ns)
{
	play->at_ns[rank] += ns * play->unit_ns;
	made_plain(&play->made, rank, name, play->at_ns[rank], play->at_ns[rank]);
}

static uint64_t later_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void play_message(struct play *play, uint32_t from, uint32_t to)
{
	const uint64_t sent_ns = play->at_ns[from], posted_ns = play->at_ns[to];
	const uint64_t received_ns = later_of(sent_ns, posted_ns);

	made_call(&play->made, from, "MPI_Bsend", sent_ns, sent_ns, SEND(0, to, 0, 8));
	made_call(&play->made, to, "MPI_Recv", posted_ns, received_ns, RECV(0, from, 0, 8));
	play->at_ns[to] = received_ns;
}

void play_synchronous(struct play *play, uint32_t from, uint32_t to)
{
	const uint64_t sent_ns = play->at_ns[from], posted_ns = play->at_ns[to];
	const uint64_t met_ns = later_of(sent_ns, posted_ns);

	made_call(&play->made, from, "MPI_Ssend", sent_ns, met_ns, SEND(0, to, 0, 8));
	made_call(&play->made, to, "MPI_Recv", posted_ns, met_ns, RECV(0, from, 0, 8));
	play->at_ns[from] = play->at_ns[to] = met_ns;
}

static uint32_t member(const struct trace_comm *comm, uint32_t number)
{
	return comm->ranks ? comm->ranks[number] : number;
}

void play_collective(struct play *play, uint32_t comm, const char *name, uint8_t kind, uint64_t ns)
{
	const struct trace_comm *of = &play->made.comms[comm];
	uint64_t end_ns = 0;

	for (uint32_t i = 0; i < of->size; i++)
		end_ns = later_of(end_ns, play->at_ns[member(of, i)]);
	end_ns += ns * play->unit_ns;
	for (uint32_t i = 0; i < of->size; i++) {
		const uint32_t r = member(of, i);

		made_call(&play->made, r, name, play->at_ns[r], end_ns, COLLECTIVE(kind, comm));
		play->at_ns[r] = end_ns;
	}
}

void play_barrier(struct play *play)
{
	play_collective(play, 0, "MPI_Barrier", COLL_BARRIER, 0);
}

void play_end(struct play *play)
{
	for (uint32_t r = 0; r < play->made.run.rank_count; r++)
		made_plain(&play->made, r, "MPI_Finalize", play->at_ns[r], play->at_ns[r] + 1);
	made_end(&play->made);
}
