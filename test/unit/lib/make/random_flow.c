#include "test/unit/lib/make/random_flow.h"

#include "test/unit/lib/make/random_graph.h"

/* Requests of a thread that are open. */
struct open_requests {
	uint64_t numbers[64];
	enum mpi_event_kind kinds[64];
	uint32_t count;
};

/* Make a random event of a call that starts something or needs nothing. */
static struct mpi_event random_event(uint64_t *numbers, uint64_t *request,
				     struct open_requests *open)
{
	static const uint64_t sizes[] = {8, 0, UINT64_C(1) << 40};
	static const uint32_t members[] = {0};
	struct mpi_event event = {.kind = EVENT_SEND,
				  .peer = random_below(numbers, 4),
				  .tag = random_below(numbers, 3),
				  .bytes = random_below(numbers, 2) * 1000};

	switch (random_below(numbers, 8)) {
	case 0:
		break;
	case 6:
		return (struct mpi_event){.kind = EVENT_RMA_GROUP_SYNC,
					  .group = random_below(numbers, 3),
					  .group_ranks = members,
					  .group_size = 1,
					  .window = random_below(numbers, 2)};
	case 7:
		return (struct mpi_event){.kind = EVENT_COLLECTIVE,
					  .collective = COLL_ALLTOALLV,
					  .root = NO_ROOT,
					  .send_bytes = sizes,
					  .send_count = 3,
					  .receive_bytes = sizes,
					  .receive_count = 1 + random_below(numbers, 2),
					  .neighbours = random_below(numbers, 2) ? "cart" : NULL};
	case 1:
		event.kind = EVENT_RECV;
		event.posted = (uint8_t)random_below(numbers, 4);
		break;
	case 2:
		event.kind = EVENT_ISEND;
		break;
	case 3:
		event = (struct mpi_event){.kind = EVENT_IRECV_REQUEST,
					   .posted = (uint8_t)random_below(numbers, 4)};
		break;
	case 4:
		return (struct mpi_event){.kind = EVENT_COLLECTIVE,
					  .collective = COLL_ALLREDUCE,
					  .root = NO_ROOT,
					  .bytes_sent = 8,
					  .operation = "MPI_SUM"};
	default:
		/* Numbers of operations on windows come again. */
		return (struct mpi_event){.kind = EVENT_RMA_PUT,
					  .peer = random_below(numbers, 4),
					  .bytes_sent = 8,
					  .window = 1,
					  .request = 1000000 + random_below(numbers, 40)};
	}
	if ((event.kind == EVENT_ISEND || event.kind == EVENT_IRECV_REQUEST) && open->count < 64) {
		/* Mostly the next number. */
		*request += 1 + (random_below(numbers, 10) == 0) * random_below(numbers, 5);
		event.request = *request;
		open->numbers[open->count] = *request;
		open->kinds[open->count++] = event.kind == EVENT_ISEND ? EVENT_ISEND_COMPLETE
								       : EVENT_IRECV;
	}
	return event;
}

/* Make the event of a call that completes or tests a request of some thread. */
static struct mpi_event completion(uint64_t *numbers, struct open_requests *open)
{
	const uint32_t place = random_below(numbers, open->count);
	struct mpi_event event = {.kind = open->kinds[place], .request = open->numbers[place]};

	if (random_below(numbers, 4) == 0)
		return (struct mpi_event){.kind = EVENT_REQUEST_TEST, .request = event.request};
	if (event.kind == EVENT_IRECV) {
		event.peer = random_below(numbers, 4);
		event.tag = random_below(numbers, 3);
		event.bytes = 64;
	}
	open->count--;
	open->numbers[place] = open->numbers[open->count];
	open->kinds[place] = open->kinds[open->count];
	return event;
}

/* Add a call of a thread of a rank. */
static void add_random_call(struct flow_feed *feed, uint32_t rank, uint32_t threads,
			    struct open_requests *open, uint64_t *request, uint64_t *numbers)
{
	static const char *const completes[] = {"MPI_Wait", "MPI_Test", "MPI_Waitany",
						"MPI_Testsome"};
	static const char *const starts[] = {"MPI_Isend", "MPI_Send", "MPI_Allreduce", "other"};
	const bool ends = open->count && random_below(numbers, 2);
	const struct mpi_event event = ends ? completion(numbers, open)
					    : random_event(numbers, request, open);
	const bool has_event = random_below(numbers, 8) > 0 || ends || event.request;
	struct mpi_call *call;

	flow_feed_add(feed, rank, (ends ? completes : starts)[random_below(numbers, 4)], &event,
		      has_event);
	call = &feed->ranks[rank].calls.items[feed->ranks[rank].calls.count - 1].call;
	call->thread = random_below(numbers, threads);
	call->site = random_below(numbers, 3) ? NO_SITE : 1 + random_below(numbers, 3);
	call->leave_ns += random_below(numbers, 50);
	if (event.kind == EVENT_REQUEST_TEST && random_below(numbers, 2)) {
		call->polls = 1 + random_below(numbers, 9);
		call->poll_gaps_ns = random_below(numbers, 90);
		call->least_poll_gap_ns = random_below(numbers, 5);
	}
}

void flow_feed_random(struct flow_feed *feed, uint32_t threads, int calls, uint64_t *numbers)
{
	for (uint32_t rank = 0; rank < feed->world.rank_count; rank++) {
		struct open_requests open = {.count = 0};
		uint64_t request = 0;

		for (int i = 0; i < calls; i++)
			add_random_call(feed, rank, threads, &open, &request, numbers);
	}
}
