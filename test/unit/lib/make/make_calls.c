#include "test/unit/lib/make/make_calls.h"

#include "goal/builder.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool is_send(const struct step *step)
{
	return step->what == DO_ISEND || step->what == DO_SEND;
}

static bool is_receive(const struct step *step)
{
	return step->what == DO_IRECV || step->what == DO_RECV;
}

void program_add(struct program *program, uint32_t rank, struct step step)
{
	assert_true(program->ranks[rank].count < PROGRAM_STEPS);
	program->ranks[rank].steps[program->ranks[rank].count++] = step;
}

/* Find the send of a receive: the one with as many before it in the channel; its rank is the peer. */
static uint32_t send_of(const struct program *program, uint32_t rank, uint32_t receive)
{
	const struct step *steps = program->ranks[rank].steps, *own = &steps[receive];
	uint32_t before = 0, i;

	for (i = 0; i < receive; i++)
		before += is_receive(&steps[i]) && steps[i].peer == own->peer &&
			  steps[i].tag == own->tag;
	steps = program->ranks[own->peer].steps;
	for (i = 0; i < program->ranks[own->peer].count; i++)
		if (is_send(&steps[i]) && steps[i].peer == rank && steps[i].tag == own->tag &&
		    before-- == 0)
			return i;
	fail_msg("rank %u, step %u: a receive without its send", rank, receive);
	return 0;
}

void program_pair(struct program *program)
{
	for (uint32_t rank = 0; rank < program->rank_count; rank++)
		for (uint32_t i = 0; i < program->ranks[rank].count; i++) {
			struct step *step = &program->ranks[rank].steps[i];

			if (is_receive(step))
				step->bytes = program->ranks[step->peer]
						      .steps[send_of(program, rank, i)]
						      .bytes;
		}
}

/* -------------------------------------------------------------------------- at random */

static void compute(struct program *program, uint32_t rank, uint64_t *numbers)
{
	if (random_below(numbers, 2))
		program_add(program, rank,
			    (struct step){.what = DO_COMPUTE,
					  .ns = 5001 + random_below(numbers, 60000)});
}

/* Steps of a rank in a round: what it posts, and what it waits for in the end. */
struct round {
	struct step posts[PROGRAM_STEPS], waits[PROGRAM_STEPS];
	uint32_t post_count, wait_count;
};

/* Add steps in any order, computing between some of them. */
static void add_in_any_order(struct program *program, uint32_t rank, struct step *steps,
			     uint32_t count, uint64_t *numbers)
{
	while (count) {
		const uint32_t i = (uint32_t)random_below(numbers, count);

		compute(program, rank, numbers);
		program_add(program, rank, steps[i]);
		steps[i] = steps[--count];
	}
}

/* Choose the messages of a round: either sends may block, or receives. */
static void choose_messages(const struct program *program, struct round *receives,
			    struct round *sends, uint32_t *requests, uint64_t *numbers)
{
	static const uint32_t sizes[] = {1, 8, 1000, 1001, 5000, 20000, 20001, 100000};
	const bool blocking_receives = random_below(numbers, 4) == 0;

	for (uint64_t i = random_below(numbers, 9); i > 0; i--) {
		const uint32_t from = (uint32_t)random_below(numbers, program->rank_count);
		const uint32_t to = (uint32_t)random_below(numbers, program->rank_count);
		const bool blocks = !blocking_receives && from != to &&
				    random_below(numbers, 3) == 0;
		struct step send = {.what = blocks ? DO_SEND : DO_ISEND,
				    .peer = to,
				    .tag = (uint32_t)random_below(numbers, 2),
				    .bytes = sizes[random_below(numbers, 8)]};
		struct step receive = {.what = blocking_receives && from != to ? DO_RECV : DO_IRECV,
				       .peer = from,
				       .tag = send.tag};

		send.request = ++requests[from];
		receive.request = ++requests[to];
		sends[from].posts[sends[from].post_count++] = send;
		if (!blocks)
			sends[from].waits[sends[from].wait_count++] =
				(struct step){.what = DO_WAIT, .request = send.request};
		receives[to].posts[receives[to].post_count++] = receive;
		if (receive.what == DO_IRECV)
			receives[to].waits[receives[to].wait_count++] =
				(struct step){.what = DO_WAIT, .request = receive.request};
	}
}

static void add_receives(struct program *program, uint32_t rank, const struct round *receives,
			 int what)
{
	for (uint32_t i = 0; i < receives->post_count; i++)
		if ((int)receives->posts[i].what == what)
			program_add(program, rank, receives->posts[i]);
}

/* Add a round of messages.  All ranks post what they can before they wait, so nobody waits for ever. */
static void add_round(struct program *program, uint32_t *requests, uint64_t *numbers)
{
	static struct round receives[PROGRAM_RANKS], sends[PROGRAM_RANKS];

	memset(receives, 0, sizeof receives);
	memset(sends, 0, sizeof sends);
	choose_messages(program, receives, sends, requests, numbers);
	for (uint32_t rank = 0; rank < program->rank_count; rank++) {
		struct round *of = &receives[rank];

		add_receives(program, rank, of, DO_IRECV);
		add_in_any_order(program, rank, sends[rank].posts, sends[rank].post_count, numbers);
		add_receives(program, rank, of, DO_RECV);
		memcpy(of->waits + of->wait_count, sends[rank].waits,
		       sends[rank].wait_count * sizeof *of->waits);
		add_in_any_order(program, rank, of->waits, of->wait_count + sends[rank].wait_count,
				 numbers);
		compute(program, rank, numbers);
	}
}

void program_random(struct program *program, uint64_t *numbers)
{
	uint32_t requests[PROGRAM_RANKS] = {0};

	*program = (struct program){.rank_count = 1 +
						  (uint32_t)random_below(numbers, PROGRAM_RANKS)};
	for (uint64_t rounds = 1 + random_below(numbers, 3); rounds > 0; rounds--)
		add_round(program, requests, numbers);
	program_pair(program);
}

/* --------------------------------------------------------------------------- as calls */

/* Feed a step, after the computation before it. */
static void feed_step(struct feed *feed, const struct program *program, uint32_t rank,
		      const struct step *step, uint64_t gap_ns)
{
	const struct step *steps = program->ranks[rank].steps;

	switch (step->what) {
	case DO_COMPUTE:
		break;
	case DO_ISEND:
		feed_ok(feed, gap_ns, "MPI_Isend",
			ISEND(0, step->peer, step->tag, step->bytes, step->request));
		break;
	case DO_IRECV:
		feed_ok(feed, gap_ns, "MPI_Irecv", POST(step->request));
		break;
	case DO_SEND:
		feed_ok(feed, gap_ns, "MPI_Send", SEND(0, step->peer, step->tag, step->bytes));
		break;
	case DO_RECV:
		feed_ok(feed, gap_ns, "MPI_Recv", RECV(0, step->peer, step->tag, step->bytes));
		break;
	case DO_WAIT:
		while (steps->request != step->request || steps->what == DO_WAIT ||
		       steps->what == DO_COMPUTE)
			steps++;
		if (steps->what == DO_ISEND)
			feed_ok(feed, gap_ns, "MPI_Wait", ISENT(step->request));
		else
			feed_ok(feed, gap_ns, "MPI_Wait",
				IRECV(0, steps->peer, steps->tag, steps->bytes, step->request));
	}
}

static void feed_program(struct feed *feed, const void *data, uint32_t rank)
{
	const struct program *program = data;
	uint64_t gap_ns = 0;

	feed_begin(feed, rank);
	for (uint32_t i = 0; i < program->ranks[rank].count; i++) {
		const struct step *step = &program->ranks[rank].steps[i];

		feed_step(feed, program, rank, step, gap_ns);
		gap_ns = step->what == DO_COMPUTE ? gap_ns + step->ns : 0;
	}
	feed_plain(feed, gap_ns, "MPI_Finalize");
	feed_end(feed);
}

static void find_deferred(feed_rank *calls, const void *program, uint32_t rank_count,
			  const struct progress_table *table, struct deferred *deferred)
{
	const struct convert_options options = {.compute_scale = 1, .copies = 1, .progress = table};
	struct feed feed;
	struct error err;

	feed_init(&feed, &options);
	MUST(deferred_init(deferred, rank_count, feed_world.world_comm, &err));
	for (uint32_t rank = 0; rank < rank_count; rank++) {
		calls(&feed, program, rank);
		MUST(deferred_add(deferred, rank, &feed.convert.deferral.found, &feed.convert.tags, &err));
	}
	feed_release(&feed);
	deferred_match(deferred, table);
}

static int join_tag(void *data, struct goal_new_op *op, struct error *err)
{
	(void)err;
	if (op->kind != GOAL_CALC)
		op->tag = goal_tags_joined(data, op->tag);
	return 1;
}

void calls_graph(feed_rank *calls, const void *program, uint32_t rank_count,
		 const struct progress_table *table, struct goal *goal)
{
	struct convert_options options = {.compute_scale = 1, .copies = 1, .progress = table};
	struct deferred deferred = {0};
	struct goal_writer writer;
	struct input image;
	struct feed feed;
	struct error err;

	if (table) {
		find_deferred(calls, program, rank_count, table, &deferred);
		options.deferred = &deferred;
	}
	feed_init(&feed, &options);
	MUST(goal_writer_open_memory(&writer, rank_count, &err));
	for (uint32_t rank = 0; rank < rank_count; rank++) {
		calls(&feed, program, rank);
		MUST(goal_builder_each(&feed.convert.builder, join_tag, &feed.convert.tags, &err));
		MUST(goal_writer_rank(&writer, &feed.convert.builder, &err));
	}
	MUST(goal_writer_finish(&writer, &image, &err));
	MUST(goal_from_image(goal, &image, "program", &err));
	feed_release(&feed);
	deferred_release(&deferred);
}

void program_graph(const struct program *program, const struct progress_table *table,
		   struct goal *goal)
{
	calls_graph(feed_program, program, program->rank_count, table, goal);
}

/* ---------------------------------------------------------------------------- in time */

#define NEVER INT64_MAX

/* Message, by its receive. */
struct played {
	uint32_t from, send, to, receive; /* ranks and steps */
	int64_t sent, posted;		  /* when its halves have begun, or NEVER */
	int64_t send_end, receive_end;
	bool moved;
};

struct playing {
	const struct program *program;
	const struct program_network *network;
	struct played messages[PROGRAM_RANKS * PROGRAM_STEPS];
	uint32_t message_count;
	struct {
		uint32_t next; /* step */
		bool begun;    /* that step */
		bool waits;    /* it is a call that waits */
		int64_t end;   /* of a step that does not wait */
	} ranks[PROGRAM_RANKS];
	int64_t now;
};

static void list_messages(struct playing *playing)
{
	for (uint32_t rank = 0; rank < playing->program->rank_count; rank++)
		for (uint32_t i = 0; i < playing->program->ranks[rank].count; i++) {
			const struct step *step = &playing->program->ranks[rank].steps[i];

			if (is_receive(step))
				playing->messages[playing->message_count++] = (struct played){
					step->peer, send_of(playing->program, rank, i),
					rank,	    i,
					NEVER,	    NEVER,
					NEVER,	    NEVER,
					false};
		}
}

/* Let messages move that can move now. */
static bool move_messages(struct playing *playing)
{
	const struct program_network *network = playing->network;
	bool any = false;

	for (uint32_t i = 0; i < playing->message_count; i++) {
		struct played *message = &playing->messages[i];
		const struct step *send =
			&playing->program->ranks[message->from].steps[message->send];
		const int64_t B = (send->bytes - 1) * network->G;

		if (message->moved || message->sent == NEVER || message->posted == NEVER)
			continue;
		if (send->bytes <= network->S) {
			const int64_t here = message->sent + network->o + network->L + B;

			message->receive_end = (here > message->posted ? here : message->posted) +
					       network->o;
		} else if (playing->now >= message->sent + network->o + network->L &&
			   playing->ranks[message->to].waits) {
			message->receive_end = playing->now + network->o + 2 * network->L + B;
			message->send_end = message->receive_end + network->L;
		} else {
			continue;
		}
		message->moved = any = true;
	}
	return any;
}

/* Note that a half of a message begins. */
static void begin_half(struct playing *playing, uint32_t rank, uint32_t step)
{
	for (uint32_t i = 0; i < playing->message_count; i++) {
		struct played *message = &playing->messages[i];

		if (message->to == rank && message->receive == step)
			message->posted = playing->now;
		if (message->from != rank || message->send != step)
			continue;
		message->sent = playing->now;
		if (playing->program->ranks[rank].steps[step].bytes <= playing->network->S)
			message->send_end = playing->now + playing->network->o;
	}
}

/* When the half of a message that a step is, or waits for, ends. */
static int64_t end_of_half(const struct playing *playing, uint32_t rank, uint32_t step)
{
	const struct step *steps = playing->program->ranks[rank].steps;
	uint32_t half = step;

	if (steps[step].what == DO_WAIT)
		for (half = 0; steps[half].request != steps[step].request ||
			       (steps[half].what != DO_ISEND && steps[half].what != DO_IRECV);)
			half++;
	for (uint32_t i = 0; i < playing->message_count; i++) {
		const struct played *message = &playing->messages[i];

		if (message->to == rank && message->receive == half)
			return message->receive_end;
		if (message->from == rank && message->send == half)
			return message->send_end;
	}
	return NEVER;
}

static void begin_step(struct playing *playing, uint32_t rank)
{
	const struct step *step = &playing->program->ranks[rank].steps[playing->ranks[rank].next];
	int64_t takes = 0;

	begin_half(playing, rank, playing->ranks[rank].next);
	if (step->what == DO_COMPUTE)
		takes = (int64_t)step->ns;
	else if (step->what == DO_ISEND)
		takes = playing->network->o;
	playing->ranks[rank].begun = true;
	playing->ranks[rank].waits = step->what >= DO_SEND;
	playing->ranks[rank].end = playing->now + takes;
}

/* Let ranks begin and end their steps; at most one thing each, since messages may move between. */
static bool take_steps(struct playing *playing)
{
	bool any = false;

	for (uint32_t rank = 0; rank < playing->program->rank_count; rank++) {
		const uint32_t next = playing->ranks[rank].next;

		if (next == playing->program->ranks[rank].count)
			continue;
		if (!playing->ranks[rank].begun) {
			begin_step(playing, rank);
			any = true;
			continue;
		}
		if ((playing->ranks[rank].waits ? end_of_half(playing, rank, next)
						: playing->ranks[rank].end) > playing->now)
			continue;
		playing->ranks[rank].next++;
		playing->ranks[rank].begun = playing->ranks[rank].waits = false;
		any = true;
	}
	return any;
}

static void note_time(const struct playing *playing, int64_t time, int64_t *next)
{
	if (time > playing->now && time < *next)
		*next = time;
}

/* The next moment at which something may happen, or NEVER. */
static int64_t next_time(const struct playing *playing)
{
	int64_t next = NEVER;

	for (uint32_t rank = 0; rank < playing->program->rank_count; rank++)
		if (playing->ranks[rank].begun)
			note_time(playing, playing->ranks[rank].end, &next);
	for (uint32_t i = 0; i < playing->message_count; i++) {
		const struct played *message = &playing->messages[i];

		note_time(playing, message->send_end, &next);
		note_time(playing, message->receive_end, &next);
		if (message->sent != NEVER)
			note_time(playing,
				  message->sent + playing->network->o + playing->network->L, &next);
	}
	return next;
}

int64_t program_play(const struct program *program, const struct program_network *network)
{
	static struct playing playing;
	int64_t next = 0;

	playing = (struct playing){.program = program, .network = network};
	list_messages(&playing);
	while (next != NEVER) {
		playing.now = next;
		while (move_messages(&playing) || take_steps(&playing))
			;
		next = next_time(&playing);
	}
	for (uint32_t rank = 0; rank < program->rank_count; rank++)
		if (playing.ranks[rank].next < program->ranks[rank].count)
			fail_msg("rank %u waits for ever in step %u", rank,
				 playing.ranks[rank].next);
	return playing.now;
}
