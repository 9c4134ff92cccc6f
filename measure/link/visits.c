#include "measure/link/visits.h"

#include "common/progress.h"

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
	struct samples samples[QUANTITIES]; /* of this repeat */
	struct samples all[QUANTITIES];	    /* of those before */
	double round_ns[QUANTITIES]; /* the least mean of a visit; 0 before the first */
	double trip_ns;		     /* the median of the last visit */
	double low_trip_ns;	     /* the least lower decile of a visit */
};

struct measurement {
	struct link *link;
	uint64_t start_ns, deadline_ns;
	struct target targets[TARGETS];
	size_t next; /* visits to targets so far */
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
	const uint64_t start_ns = link_now_ns(measurement->link);

	progress_show(start_ns - measurement->start_ns,
		      measurement->deadline_ns - measurement->start_ns);
	TRY(visits_measure(measurement->link, target, quantity, rounds, err));
	mean_ns = (double)(link_now_ns(measurement->link) - start_ns) / (rounds + 1);
	*least_ns = *least_ns > 0 ? fmin(*least_ns, mean_ns) : mean_ns;
	return 0;
}

/* Visit a target, unless the time is over. */
static int visit_target(struct measurement *measurement, struct target *target, uint64_t end_ns,
			struct error *err)
{
	for (int i = 0; i < QUANTITIES; i++)
		if (target->wanted & 1u << i && link_now_ns(measurement->link) < end_ns)
			TRY(visit(measurement, target, i, err));
	return 0;
}

/*
 * Visit the first target, which tells most of L, and then go on through all of them until the end.
 * The order is a stride, so that a measurement that ends early has not left out the large sizes.
 */
static int visit_until(struct measurement *measurement, uint64_t end_ns, struct error *err)
{
	enum { STRIDE = 7 };

	TRY(visit_target(measurement, &measurement->targets[0], end_ns, err));
	while (link_now_ns(measurement->link) < end_ns)
		TRY(visit_target(measurement,
				 &measurement->targets[++measurement->next * STRIDE % TARGETS],
				 end_ns, err));
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

static int move(struct samples *from, struct samples *to, struct error *err)
{
	TRY(array_reserve(to, from->count, err));
	memcpy(to->items + to->count, from->items, from->count * sizeof *from->items);
	to->count += from->count;
	from->count = 0;
	return 0;
}

static int move_all(struct measurement *measurement, bool back, struct error *err)
{
	for (int i = 0; i < TARGETS; i++)
		for (int j = 0; j < QUANTITIES; j++) {
			struct samples *one = &measurement->targets[i].samples[j],
				       *all = &measurement->targets[i].all[j];

			if ((back ? all : one)->count)
				TRY(back ? move(all, one, err) : move(one, all, err));
		}
	return 0;
}

static int measure_repeats(struct measurement *measurement, struct repeats *repeats,
			   struct error *err)
{
	const uint64_t whole_ns = measurement->deadline_ns - measurement->start_ns;

	for (repeats->count = 0; repeats->count < MOST_REPEATS;) {
		const unsigned placement = (unsigned)repeats->count;

		TRY(link_place(measurement->link, placement, err));
		TRY(visit_until(measurement,
				measurement->start_ns + whole_ns * (placement + 1) / MOST_REPEATS,
				err));
		fill_table(measurement->targets, &repeats->tables[repeats->count++]);
		TRY(move_all(measurement, false, err));
	}
	return move_all(measurement, true, err);
}

int measure_trips(struct link *link, uint64_t deadline_ns, struct size_table *table,
		  struct repeats *repeats, struct checks *checks, struct error *err)
{
	struct measurement measurement = {.link = link,
					  .start_ns = link_now_ns(link),
					  .deadline_ns = deadline_ns};
	int result;

	set_targets(&measurement);
	result = measure_repeats(&measurement, repeats, err);
	fill_table(measurement.targets, table);
	fill_checks(measurement.targets + TABLE_SIZES, checks);
	for (int i = 0; i < TARGETS; i++)
		for (int j = 0; j < QUANTITIES; j++) {
			array_release(&measurement.targets[i].samples[j]);
			array_release(&measurement.targets[i].all[j]);
		}
	return result;
}
