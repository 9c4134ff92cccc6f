#include "measure/mpi/link_mpi.h"

#include "measure/mpi/clock.h"

#include <string.h>

enum { CLIENT, SERVER };
enum { TAG_ORDER, TAG_DATA, TAG_PING };
enum { PING_HOLD, PING_RECEIVE };

enum order_kind { ORDER_END, ORDER_PLACE, ORDER_ROUNDS, ORDER_HOLD };

/* Sent as bytes: both ranks run the same program. */
struct order {
	uint32_t kind;
	uint32_t messages; /* from the client in each round; of ORDER_PLACE, the placement */
	uint32_t rounds;
	uint64_t bytes;	       /* of each message */
	uint64_t answer_bytes; /* of the answer that ends a round */
};

static double clock_cost_ns(void)
{
	enum { READINGS = 1000 };
	double readings[READINGS];
	struct samples samples = {.items = readings, .count = READINGS};

	for (int i = 0; i < READINGS; i++) {
		const uint64_t before_ns = now_ns();

		readings[i] = (double)(now_ns() - before_ns);
	}
	return samples_summary(&samples).median;
}

/* Take a buffer whose pages exist.  An old one is freed afterwards, so that the memory is another. */
static int take_buffer(struct link *link, struct error *err)
{
	void *buffer;

	TRY(allocate(&buffer, MOST_BYTES, 1, err));
	memset(buffer, 1, MOST_BYTES);
	free(link->buffer);
	link->buffer = buffer;
	return 0;
}

int link_init(struct link *link, struct error *err)
{
	memset(link, 0, sizeof *link);
	TRY(take_buffer(link, err));
	MPI_Comm_dup(MPI_COMM_WORLD, &link->comm);
	cores_find(link->comm, &link->cores);
	link->clock_ns = clock_cost_ns();
	return 0;
}

void link_release(struct link *link)
{
	if (link->buffer)
		MPI_Comm_free(&link->comm);
	free(link->buffer);
	link->buffer = NULL;
}

static void send_bytes(struct link *link, int to, uint64_t bytes)
{
	MPI_Send(link->buffer, (int)bytes, MPI_BYTE, to, TAG_DATA, link->comm);
}

static void receive_bytes(struct link *link, int from, uint64_t bytes)
{
	MPI_Recv(link->buffer, (int)bytes, MPI_BYTE, from, TAG_DATA, link->comm, MPI_STATUS_IGNORE);
}

/* ------------------------------------------------------------------ serving */

static void serve_rounds(struct link *link, const struct order *order)
{
	for (uint32_t i = 0; i < order->rounds; i++) {
		for (uint32_t j = 0; j < order->messages; j++)
			receive_bytes(link, CLIENT, order->bytes);
		send_bytes(link, CLIENT, order->answer_bytes);
	}
}

/* Answer pings until the client allows the receive: the library works, as in any call of MPI. */
static void serve_held_message(struct link *link, const struct order *order)
{
	char ping;

	do {
		MPI_Recv(&ping, 1, MPI_BYTE, CLIENT, TAG_PING, link->comm, MPI_STATUS_IGNORE);
		MPI_Send(&ping, 1, MPI_BYTE, CLIENT, TAG_PING, link->comm);
	} while (ping == PING_HOLD);
	receive_bytes(link, CLIENT, order->bytes);
}

/* Ranks without a part in the measurement leave the processors to those that have one. */
static void sleep_till_order(struct link *link)
{
	const uint64_t rest_ns = 10000000;
	int rank, arrived = 0;

	MPI_Comm_rank(link->comm, &rank);
	while (rank != SERVER && !arrived) {
		MPI_Iprobe(CLIENT, TAG_ORDER, link->comm, &arrived, MPI_STATUS_IGNORE);
		if (!arrived)
			sleep_until(now_ns() + rest_ns);
	}
}

static int link_mpi_place(struct link *link, unsigned placement, struct error *err)
{
	cores_place(&link->cores, placement);
	return take_buffer(link, err);
}

int link_serve(struct link *link, struct error *err)
{
	struct order order;

	for (;;) {
		sleep_till_order(link);
		MPI_Recv(&order, sizeof order, MPI_BYTE, CLIENT, TAG_ORDER, link->comm,
			 MPI_STATUS_IGNORE);
		if (order.kind == ORDER_END)
			return 0;
		if (order.kind == ORDER_PLACE)
			TRY(link_mpi_place(link, order.messages, err));
		else if (order.kind == ORDER_ROUNDS)
			serve_rounds(link, &order);
		else
			serve_held_message(link, &order);
	}
}

static void send_order(struct link *link, int to, const struct order *order)
{
	MPI_Send(order, sizeof *order, MPI_BYTE, to, TAG_ORDER, link->comm);
}

void link_end(struct link *link)
{
	const struct order order = {.kind = ORDER_END};
	int size;

	MPI_Comm_size(link->comm, &size);
	for (int i = SERVER; i < size; i++)
		send_order(link, i, &order);
}

int link_place(struct link *link, unsigned placement, struct error *err)
{
	const struct order order = {.kind = ORDER_PLACE, .messages = placement};

	send_order(link, SERVER, &order);
	return link_mpi_place(link, placement, err);
}

/* ------------------------------------------------------------------- timing */

uint64_t link_now_ns(const struct link *link)
{
	(void)link;
	return now_ns();
}

static void link_add(struct link *link, struct samples *samples, uint64_t from_ns, uint64_t to_ns)
{
	samples->items[samples->count++] = (double)(to_ns - from_ns) - link->clock_ns;
}

int link_time_trips(struct link *link, unsigned messages, uint64_t bytes, uint64_t answer_bytes,
		    unsigned rounds, struct samples *trips, struct error *err)
{
	const struct order order = {.kind = ORDER_ROUNDS,
				    .messages = messages,
				    .rounds = rounds + 1,
				    .bytes = bytes,
				    .answer_bytes = answer_bytes};

	TRY(array_reserve(trips, rounds, err));
	send_order(link, SERVER, &order);
	for (unsigned i = 0; i <= rounds; i++) {
		const uint64_t start_ns = now_ns();

		for (unsigned j = 0; j < messages; j++)
			send_bytes(link, SERVER, bytes);
		receive_bytes(link, SERVER, answer_bytes);
		if (i > 0)
			link_add(link, trips, start_ns, now_ns());
	}
	return 0;
}

int link_time_sends(struct link *link, unsigned messages, uint64_t bytes, uint64_t delay_ns,
		    unsigned rounds, struct samples *sends, struct error *err)
{
	const struct order order = {.kind = ORDER_ROUNDS,
				    .messages = messages,
				    .rounds = rounds + 1,
				    .bytes = bytes,
				    .answer_bytes = 1};

	TRY(array_reserve(sends, (size_t)rounds * messages, err));
	send_order(link, SERVER, &order);
	for (unsigned i = 0; i <= rounds; i++) {
		uint64_t start_ns = now_ns(), end_ns;

		for (unsigned j = 0; j < messages; j++) {
			send_bytes(link, SERVER, bytes);
			end_ns = now_ns();
			if (i > 0)
				link_add(link, sends, start_ns, end_ns);
			start_ns = stay_away_until(end_ns + delay_ns);
		}
		receive_bytes(link, SERVER, 1);
	}
	return 0;
}

int link_time_receives(struct link *link, uint64_t bytes, uint64_t delay_ns, unsigned rounds,
		       struct samples *receives, struct error *err)
{
	const struct order order = {.kind = ORDER_ROUNDS,
				    .messages = 1,
				    .rounds = rounds + 1,
				    .bytes = 1,
				    .answer_bytes = bytes};

	TRY(array_reserve(receives, rounds, err));
	send_order(link, SERVER, &order);
	for (unsigned i = 0; i <= rounds; i++) {
		uint64_t start_ns;

		send_bytes(link, SERVER, 1);
		start_ns = stay_away_until(now_ns() + delay_ns);
		receive_bytes(link, SERVER, bytes);
		if (i > 0)
			link_add(link, receives, start_ns, now_ns());
	}
	return 0;
}

static void send_ping(struct link *link, char ping)
{
	MPI_Send(&ping, 1, MPI_BYTE, SERVER, TAG_PING, link->comm);
	MPI_Recv(&ping, 1, MPI_BYTE, SERVER, TAG_PING, link->comm, MPI_STATUS_IGNORE);
}

bool link_completes_early(struct link *link, uint64_t bytes, uint64_t least_ns)
{
	enum { FEWEST_PINGS = 5 };
	const struct order order = {.kind = ORDER_HOLD, .bytes = bytes};
	MPI_Request request;
	uint64_t start_ns;
	int completed = 0;

	send_order(link, SERVER, &order);
	start_ns = now_ns();
	MPI_Isend(link->buffer, (int)bytes, MPI_BYTE, SERVER, TAG_DATA, link->comm, &request);
	for (int i = 0; !completed && (i < FEWEST_PINGS || now_ns() < start_ns + least_ns); i++) {
		send_ping(link, PING_HOLD);
		MPI_Test(&request, &completed, MPI_STATUS_IGNORE);
	}
	send_ping(link, PING_RECEIVE);
	if (!completed)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	return completed;
}
