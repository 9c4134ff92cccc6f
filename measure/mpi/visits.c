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
	TARGETS = TABLE_SIZES + CHECK_SIZES,
};

enum { MOST_ROUNDS = 50 };

enum quantity { TRIP, SENDS, RECEIVES, BURSTS, BURSTS_ONE_ANSWER, QUANTITIES };

/* What is known of one size. */
struct target {
	uint64_t bytes;
	unsigned wanted; /* bits of quantities */
	struct samples samples[QUANTITIES];
	double round_ns[QUANTITIES]; /* the least mean of a visit; 0 before the first */
	double trip_ns;		     /* the median of the last visit */
	double low_trip_ns;	     /* the least lower decile of a visit */
};

struct measurement {
	struct link *link;
	uint64_t start_ns, deadline_ns;
	struct target targets[TARGETS];
};

/*
 * A visit takes a small part of the time, so that there are many.  On a busy machine its first
 * round takes longest, as it waits for the other rank to run, so several rounds cost little more.
 */
static unsigned rounds_of_visit(const struct measurement *measurement, enum quantity quantity,
				double round_ns)
{
	const double visit_ns = (double)(measurement->deadline_ns - measurement->start_ns) / 4000;
	const double rounds = round_ns > 0 ? visit_ns / round_ns : 0;
	const double fewest = quantity == SENDS ? 1 : 4; /* a round of sends has BURST samples */

	return (unsigned)fmin(MOST_ROUNDS, fmax(fewest, rounds));
}

static int visit_trips(struct link *link, struct target *target, unsigned rounds, struct error *err)
{
	struct samples *samples = &target->samples[TRIP], visit;
	struct summary summary;

	TRY(link_time_trips(link, 1, target->bytes, target->bytes, rounds, samples, err));
	visit = (struct samples){.items = samples->items + samples->count - rounds,
				 .count = rounds};
	summary = samples_summary(&visit);
	target->trip_ns = summary.median;
	target->low_trip_ns = target->low_trip_ns > 0
				      ? fmin(target->low_trip_ns, summary.lower_decile)
				      : fmax(1, summary.lower_decile);
	return 0;
}

/* Long enough for a message to arrive, but not as long as it takes where ranks share a core. */
static uint64_t delay_of_receive(const struct target *target)
{
	return (uint64_t)(2 * fmin(target->trip_ns, 4 * target->low_trip_ns));
}

static int visits_measure(struct link *link, struct target *target, enum quantity quantity,
			  unsigned rounds, struct error *err)
{
	struct samples *samples = &target->samples[quantity];

	switch (quantity) {
	case TRIP:
		return visit_trips(link, target, rounds, err);
	case SENDS:
		return link_time_sends(link, BURST, target->bytes, (uint64_t)target->low_trip_ns,
				       rounds, samples, err);
	case RECEIVES:
		return link_time_receives(link, target->bytes, delay_of_receive(target), rounds,
					  samples, err);
	case BURSTS:
		return link_time_trips(link, BURST, target->bytes, target->bytes, rounds, samples,
				       err);
	default:
		return link_time_trips(link, CHECK_MESSAGES, target->bytes, 1, rounds, samples,
				       err);
	}
}

static int visit(struct measurement *measurement, struct target *target, enum quantity quantity,
		 struct error *err)
{
	double *least_ns = &target->round_ns[quantity], mean_ns;
	const unsigned rounds = rounds_of_visit(measurement, quantity, *least_ns);
	const uint64_t start_ns = now_ns();

	progress_show(start_ns - measurement->start_ns,
		      measurement->deadline_ns - measurement->start_ns);
	TRY(visits_measure(measurement->link, target, quantity, rounds, err));
	mean_ns = (double)(now_ns() - start_ns) / (rounds + 1);
	*least_ns = *least_ns > 0 ? fmin(*least_ns, mean_ns) : mean_ns;
	return 0;
}

static bool has_enough(const struct measurement *measurement)
{
	for (int i = 0; i < TARGETS; i++)
		for (int j = 0; j < QUANTITIES; j++)
			if (measurement->targets[i].wanted & 1u << j &&
			    measurement->targets[i].samples[j].count < FEWEST_SAMPLES)
				return false;
	return true;
}

/* Whether the time is over.  As long as samples are missing there is more of it. */
static bool is_over(const struct measurement *measurement)
{
	enum { MOST_TIMES = 3 };
	const uint64_t passed_ns = now_ns() - measurement->start_ns;
	const uint64_t time_ns = measurement->deadline_ns - measurement->start_ns;

	return passed_ns >= time_ns &&
	       (passed_ns >= MOST_TIMES * time_ns || has_enough(measurement));
}

/*
 * Visit all targets again and again, at least once.  The order is a stride through them, so that a
 * measurement that ends early has not left out the large sizes.
 */
static int visit_all(struct measurement *measurement, struct error *err)
{
	enum { STRIDE = 7 };

	for (size_t i = 0; i < TARGETS || !is_over(measurement); i++) {
		struct target *target = &measurement->targets[i * STRIDE % TARGETS];

		for (int j = 0; j < QUANTITIES; j++)
			if (target->wanted & 1u << j)
				TRY(visit(measurement, target, j, err));
	}
	return 0;
}

static void set_targets(struct measurement *measurement)
{
	for (int i = 0; i < TABLE_SIZES; i++)
		measurement->targets[i] = (struct target){
			.bytes = UINT64_C(1) << i,
			.wanted = 1u << TRIP | 1u << SENDS | 1u << RECEIVES | 1u << BURSTS,
		};
	for (int i = 0; i < CHECK_SIZES; i++)
		measurement->targets[TABLE_SIZES + i] = (struct target){
			.bytes = check_sizes[i],
			.wanted = 1u << TRIP | 1u << BURSTS_ONE_ANSWER,
		};
}

static void fill_table(struct target *targets, struct size_table *table)
{
	memset(table, 0, sizeof *table);
	table->messages = BURST;
	for (int i = 0; i < TABLE_SIZES; i++) {
		struct size_row *row = &table->rows[table->count++];

		row->bytes = targets[i].bytes;
		row->trip = samples_summary(&targets[i].samples[TRIP]);
		row->send = samples_summary(&targets[i].samples[SENDS]);
		row->receive = samples_summary(&targets[i].samples[RECEIVES]);
		row->burst = samples_summary(&targets[i].samples[BURSTS]);
	}
}

static void fill_checks(struct target *targets, struct checks *checks)
{
	memset(checks, 0, sizeof *checks);
	for (int i = 0; i < CHECK_SIZES; i++) {
		struct check *check = &checks->of[checks->count++];

		check->bytes = targets[i].bytes;
		check->trip = samples_summary(&targets[i].samples[TRIP]);
		check->burst = samples_summary(&targets[i].samples[BURSTS_ONE_ANSWER]);
	}
}

int measure_trips(struct link *link, uint64_t deadline_ns, struct size_table *table,
		  struct checks *checks, struct error *err)
{
	struct measurement measurement = {.link = link,
					  .start_ns = now_ns(),
					  .deadline_ns = deadline_ns};
	int result;

	set_targets(&measurement);
	result = visit_all(&measurement, err);
	fill_table(measurement.targets, table);
	fill_checks(measurement.targets + TABLE_SIZES, checks);
	for (int i = 0; i < TARGETS; i++)
		for (int j = 0; j < QUANTITIES; j++)
			array_release(&measurement.targets[i].samples[j]);
	return result;
}
