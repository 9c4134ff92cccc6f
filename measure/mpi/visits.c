#include "measure/mpi/visits.h"

#include "common/progress.h"
#include "measure/mpi/clock.h"

#include <math.h>
#include <string.h>

/* Between the sizes of the table, which are powers of 2. */
static const uint64_t check_sizes[] = {3, 48, 768, 12288, 196608};

enum {
	BURST = 16,
	TABLE_SIZES = 21,
	CHECK_SIZES = sizeof check_sizes / sizeof *check_sizes,
	PLACES = TABLE_SIZES + CHECK_SIZES,
};

enum { MOST_ROUNDS = 50 };

enum quantity { TRIP, SENDS, RECEIVES, BURSTS, BURSTS_ONE_ANSWER, QUANTITIES };

/* What is known of one size. */
struct place_to_visit {
	uint64_t bytes;
	unsigned wanted; /* bits of quantities */
	struct samples samples[QUANTITIES];
	double round_ns[QUANTITIES]; /* the least mean of a visit; 0 before the first */
	double trip_ns;		     /* the median of the last visit */
	double low_trip_ns;	     /* the least lower decile of a visit */
};

struct journey {
	struct link *link;
	uint64_t start_ns, deadline_ns;
	struct place_to_visit places[PLACES];
};

/*
 * A visit takes a small part of the time, so that there are many.  On a busy machine its first
 * round takes longest, as it waits for the other rank to run, so several rounds cost little more.
 */
static unsigned rounds_of_visit(const struct journey *journey, enum quantity quantity,
				double round_ns)
{
	const double visit_ns = (double)(journey->deadline_ns - journey->start_ns) / 4000;
	const double rounds = round_ns > 0 ? visit_ns / round_ns : 0;
	const double fewest = quantity == SENDS ? 1 : 4; /* a round of sends has BURST samples */

	return (unsigned)fmin(MOST_ROUNDS, fmax(fewest, rounds));
}

static int visit_trips(struct link *link, struct place_to_visit *place, unsigned rounds,
		       struct error *err)
{
	struct samples *samples = &place->samples[TRIP], visit;
	struct summary summary;

	TRY(link_time_trips(link, 1, place->bytes, place->bytes, rounds, samples, err));
	visit = (struct samples){.items = samples->items + samples->count - rounds,
				 .count = rounds};
	summary = samples_summary(&visit);
	place->trip_ns = summary.median;
	place->low_trip_ns = place->low_trip_ns > 0 ? fmin(place->low_trip_ns, summary.lower_decile)
						    : fmax(1, summary.lower_decile);
	return 0;
}

/* Long enough for a message to arrive, but not as long as it takes where ranks share a core. */
static uint64_t delay_of_receive(const struct place_to_visit *place)
{
	return (uint64_t)(2 * fmin(place->trip_ns, 4 * place->low_trip_ns));
}

static int measure(struct link *link, struct place_to_visit *place, enum quantity quantity,
		   unsigned rounds, struct error *err)
{
	struct samples *samples = &place->samples[quantity];

	switch (quantity) {
	case TRIP:
		return visit_trips(link, place, rounds, err);
	case SENDS:
		return link_time_sends(link, BURST, place->bytes, (uint64_t)place->low_trip_ns,
				       rounds, samples, err);
	case RECEIVES:
		return link_time_receives(link, place->bytes, delay_of_receive(place), rounds,
					  samples, err);
	case BURSTS:
		return link_time_trips(link, BURST, place->bytes, place->bytes, rounds, samples,
				       err);
	default:
		return link_time_trips(link, CHECK_MESSAGES, place->bytes, 1, rounds, samples, err);
	}
}

static int visit(struct journey *journey, struct place_to_visit *place, enum quantity quantity,
		 struct error *err)
{
	double *least_ns = &place->round_ns[quantity], mean_ns;
	const unsigned rounds = rounds_of_visit(journey, quantity, *least_ns);
	const uint64_t start_ns = now_ns();

	progress_show(start_ns - journey->start_ns, journey->deadline_ns - journey->start_ns);
	TRY(measure(journey->link, place, quantity, rounds, err));
	mean_ns = (double)(now_ns() - start_ns) / (rounds + 1);
	*least_ns = *least_ns > 0 ? fmin(*least_ns, mean_ns) : mean_ns;
	return 0;
}

static bool has_enough(const struct journey *journey)
{
	for (int i = 0; i < PLACES; i++)
		for (int j = 0; j < QUANTITIES; j++)
			if (journey->places[i].wanted & 1u << j &&
			    journey->places[i].samples[j].count < FEWEST_SAMPLES)
				return false;
	return true;
}

/* Whether the time is over.  As long as samples are missing there is more of it. */
static bool is_over(const struct journey *journey)
{
	enum { MOST_TIMES = 3 };
	const uint64_t passed_ns = now_ns() - journey->start_ns;
	const uint64_t time_ns = journey->deadline_ns - journey->start_ns;

	return passed_ns >= time_ns && (passed_ns >= MOST_TIMES * time_ns || has_enough(journey));
}

/*
 * Visit all places again and again, at least once.  The order is a stride through them, so that a
 * journey that ends early has not left out the large sizes.
 */
static int travel(struct journey *journey, struct error *err)
{
	enum { STRIDE = 7 };

	for (size_t i = 0; i < PLACES || !is_over(journey); i++) {
		struct place_to_visit *place = &journey->places[i * STRIDE % PLACES];

		for (int j = 0; j < QUANTITIES; j++)
			if (place->wanted & 1u << j)
				TRY(visit(journey, place, j, err));
	}
	return 0;
}

static void plan(struct journey *journey)
{
	for (int i = 0; i < TABLE_SIZES; i++)
		journey->places[i] = (struct place_to_visit){
			.bytes = UINT64_C(1) << i,
			.wanted = 1u << TRIP | 1u << SENDS | 1u << RECEIVES | 1u << BURSTS,
		};
	for (int i = 0; i < CHECK_SIZES; i++)
		journey->places[TABLE_SIZES + i] = (struct place_to_visit){
			.bytes = check_sizes[i],
			.wanted = 1u << TRIP | 1u << BURSTS_ONE_ANSWER,
		};
}

static void fill_table(struct place_to_visit *places, struct size_table *table)
{
	memset(table, 0, sizeof *table);
	table->messages = BURST;
	for (int i = 0; i < TABLE_SIZES; i++) {
		struct size_row *row = &table->rows[table->count++];

		row->bytes = places[i].bytes;
		row->trip = samples_summary(&places[i].samples[TRIP]);
		row->send = samples_summary(&places[i].samples[SENDS]);
		row->receive = samples_summary(&places[i].samples[RECEIVES]);
		row->burst = samples_summary(&places[i].samples[BURSTS]);
	}
}

static void fill_checks(struct place_to_visit *places, struct checks *checks)
{
	memset(checks, 0, sizeof *checks);
	for (int i = 0; i < CHECK_SIZES; i++) {
		struct check *check = &checks->of[checks->count++];

		check->bytes = places[i].bytes;
		check->trip = samples_summary(&places[i].samples[TRIP]);
		check->burst = samples_summary(&places[i].samples[BURSTS_ONE_ANSWER]);
	}
}

int measure_trips(struct link *link, uint64_t deadline_ns, struct size_table *table,
		  struct checks *checks, struct error *err)
{
	struct journey journey = {.link = link, .start_ns = now_ns(), .deadline_ns = deadline_ns};
	int result;

	plan(&journey);
	result = travel(&journey, err);
	fill_table(journey.places, table);
	fill_checks(journey.places + TABLE_SIZES, checks);
	for (int i = 0; i < PLACES; i++)
		for (int j = 0; j < QUANTITIES; j++)
			array_release(&journey.places[i].samples[j]);
	return result;
}
