/* Feed a rank's calls to convert, and compare its graph as text, for tests. */
#ifndef TEST_FEED_H
#define TEST_FEED_H

#include "schedgen/convert/convert.h"
#include "trace/trace_reader.h"

/*
 * A world of four ranks with the communicators
 *	0 MPI_COMM_WORLD; 1 MPI_COMM_SELF; 2 "odd" = {3, 1}; 3 a copy of the world;
 *	4 an inter-communicator between {0, 1} and {2, 3}; 5 not defined
 */
extern const struct trace_world feed_world;

/* Conversion of a rank's calls, in order of time. */
struct feed {
	struct convert convert;
	struct goal_tags tags;	/* of all ended ranks */
	uint64_t now_ns;
	struct error err;
};

void feed_init(struct feed *feed, const struct convert_options *options);
void feed_release(struct feed *feed);

/* Begin a rank whose MPI_Init has just returned. */
void feed_begin(struct feed *feed, uint32_t rank);

/* Fixture of a test: *state is a feed whose rank 0 has begun. */
int feed_set_up(void **state);
int feed_tear_down(void **state);

/* Feed a call of 10 ns, gap_ns after the previous one.  Returns 0 or -1. */
int feed_call(struct feed *feed, uint64_t gap_ns, const char *function, uint32_t event_count,
	      const struct mpi_event *events);

/* Feed calls that must succeed. */
#define feed_ok(feed, gap_ns, function, ...)                                                \
	feed_must((feed),                                                                   \
		  feed_call((feed), (gap_ns), (function),                                   \
			    sizeof((struct mpi_event[]){__VA_ARGS__}) /                     \
				    sizeof(struct mpi_event),                               \
			    (struct mpi_event[]){__VA_ARGS__}))
#define feed_plain(feed, gap_ns, function)                                                  \
	feed_must((feed), feed_call((feed), (gap_ns), (function), 0, NULL))
void feed_must(const struct feed *feed, int result);

/*
 * Open a trace and convert one of its ranks.  Returns 0, or -1 with the error set.  In both cases,
 * release the feed and then close *reader.
 */
int feed_trace(struct feed *feed, const char *path, uint32_t rank, struct trace_reader **reader);

/* End the rank.  The test fails on an error. */
void feed_end(struct feed *feed);

/* Find the tag of an ended rank's operation, the same for all ranks. */
uint32_t feed_tag(const struct feed *feed, uint32_t op);

/*
 * Expect the graph as text.  Each operation has a line, "send 8 to 1 tag 5" or "... cpu 2",
 * followed by the operations that it requires and irequires: "calc 3 > 0 1 >> 2".
 */
void feed_expect(const struct feed *feed, const char *text);

/* Convert one rank of a trace, and expect its graph as text. */
struct trace_left_out feed_expect_rank(const char *path, uint32_t rank, const char *graph);

/* Events. */
#define SEND(c, p, t, b) {.kind = EVENT_SEND, .comm = c, .peer = p, .tag = t, .bytes = b}
#define RECV(c, p, t, b) {.kind = EVENT_RECV, .comm = c, .peer = p, .tag = t, .bytes = b}
#define ISEND(c, p, t, b, r)                                                                \
	{.kind = EVENT_ISEND, .comm = c, .peer = p, .tag = t, .bytes = b, .request = r}
#define ISENT(r) {.kind = EVENT_ISEND_COMPLETE, .request = r}
#define POST(r) {.kind = EVENT_IRECV_REQUEST, .request = r}
#define IRECV(c, p, t, b, r)                                                                \
	{.kind = EVENT_IRECV, .comm = c, .peer = p, .tag = t, .bytes = b, .request = r}
#define PROBED(c, p, t) {.kind = EVENT_PROBE, .comm = c, .peer = p, .tag = t}
#define TESTED(r) {.kind = EVENT_REQUEST_TEST, .request = r}
#define CANCELLED(r) {.kind = EVENT_REQUEST_CANCELLED, .request = r}
#define COLLECTIVE(k, c)                                                                    \
	{.kind = EVENT_COLLECTIVE, .collective = k, .comm = c, .root = NO_ROOT}
#define ICOLL(r) {.kind = EVENT_COLLECTIVE_REQUEST, .request = r}
#define ICOLL_DONE(k, c, r)                                                                 \
	{.kind = EVENT_COLLECTIVE_COMPLETE, .collective = k, .comm = c, .root = NO_ROOT,    \
	 .request = r}

#endif
