#include "critpath/tables/efficiency_threads.h"

#include "trace/measured/measured_openmp.h"

struct visit {
	struct time_span span;
	uint64_t busy_ns, most_busy_ns; /* of all threads, of one */
	uint64_t mpi_ns;		/* of the first thread */
	uint32_t team;
	/* Of the thread at hand. */
	uint64_t inside_ns, not_busy_ns;
};

/* The rank at hand. */
struct threading {
	const struct measured_run *run;
	const struct measured_rank *rank;
	struct measured_openmp openmp;
	ARRAY(struct visit) visits; /* in order of time, apart from each other */
	ARRAY(uint32_t) order;	    /* calls, those of thread 0 first */
	ARRAY(uint32_t) first;	    /* [thread]: of its calls in `order` */
	uint32_t threads;
};

static int list_visits(struct threading *threading, struct time_span rank, struct error *err)
{
	uint64_t end_ns = 0;

	threading->visits.count = 0;
	for (size_t i = 0; i < threading->openmp.spans.count; i++) {
		const struct openmp_span *span = &threading->openmp.spans.items[i];
		const struct time_span part = time_span_common(span->span, rank);

		if (span->thread != 0 || span->kind != OPENMP_SPAN_PARALLEL ||
		    part.begin_ns >= part.end_ns || part.begin_ns < end_ns)
			continue;
		TRY(array_push(&threading->visits, (struct visit){.span = part}, err));
		end_ns = part.end_ns;
	}
	return 0;
}

/* Add a time of the thread at hand to the visits that have a part of it: inside its region, or not busy. */
static void add_time(struct threading *threading, size_t *first, struct time_span span, bool inside)
{
	struct visit *visits = threading->visits.items;

	while (*first < threading->visits.count && visits[*first].span.end_ns <= span.begin_ns)
		++*first;
	for (size_t v = *first;
	     v < threading->visits.count && visits[v].span.begin_ns < span.end_ns; v++) {
		const uint64_t ns = time_span_common_ns(visits[v].span, span);

		if (inside)
			visits[v].inside_ns += ns;
		else
			visits[v].not_busy_ns += ns;
	}
}

/* Put the calls of the rank in order of their threads. */
static int order_calls(struct threading *threading, struct error *err)
{
	const struct measured_rank *rank = threading->rank;
	const size_t count = rank->calls.count;
	uint32_t *first;

	threading->order.count = threading->first.count = 0;
	TRY(array_reserve(&threading->order, count, err));
	TRY(array_reserve(&threading->first, (size_t)rank->thread_count + 1, err));
	threading->order.count = count;
	for (uint32_t t = 0; t <= rank->thread_count; t++)
		threading->first.items[threading->first.count++] = 0;
	first = threading->first.items;
	for (size_t c = 0; c < count; c++)
		first[rank->calls.items[c].thread]++;
	for (uint32_t t = 1; t <= rank->thread_count; t++)
		first[t] += first[t - 1];
	for (size_t c = count; c-- > 0;)
		threading->order.items[--first[rank->calls.items[c].thread]] = (uint32_t)c;
	return 0;
}

static void add_calls(struct threading *threading, uint32_t thread)
{
	const uint32_t *of_threads = threading->first.items;
	size_t first = 0;

	if (thread >= threading->rank->thread_count)
		return;
	for (size_t i = of_threads[thread]; i < of_threads[thread + 1]; i++) {
		const struct measured_call *call =
			&threading->rank->calls.items[threading->order.items[i]];

		add_time(threading, &first, (struct time_span){call->enter_ns, call->leave_ns},
			 false);
	}
	for (size_t v = 0; thread == 0 && v < threading->visits.count; v++)
		threading->visits.items[v].mpi_ns = threading->visits.items[v].not_busy_ns;
}

/* End a thread in all visits.  Returns whether it is in one. */
static bool end_thread(struct threading *threading)
{
	bool any = false;

	for (size_t v = 0; v < threading->visits.count; v++) {
		struct visit *visit = &threading->visits.items[v];
		const uint64_t busy_ns = visit->inside_ns > visit->not_busy_ns
						 ? visit->inside_ns - visit->not_busy_ns
						 : 0;

		any |= visit->inside_ns > 0;
		visit->team += visit->inside_ns > 0;
		visit->busy_ns += busy_ns;
		if (busy_ns > visit->most_busy_ns)
			visit->most_busy_ns = busy_ns;
		visit->inside_ns = visit->not_busy_ns = 0;
	}
	return any;
}

/* Add the spans of a thread, from number `from` on.  Returns the number of the first one of the next thread. */
static size_t add_openmp_thread(struct threading *threading, struct efficiency_threads *threads,
				size_t from)
{
	const struct openmp_span *spans = threading->openmp.spans.items;
	const uint32_t thread = spans[from].thread;
	size_t first[OPENMP_SPAN_KINDS] = {0}, i = from;

	add_calls(threading, thread);
	for (; i < threading->openmp.spans.count && spans[i].thread == thread; i++) {
		const struct time_span span = spans[i].span;

		if (spans[i].kind == OPENMP_SPAN_CRITICAL)
			threads->critical_ns += span.end_ns - span.begin_ns;
		add_time(threading, &first[spans[i].kind], span,
			 spans[i].kind == OPENMP_SPAN_PARALLEL);
	}
	threading->threads += end_thread(threading);
	return i;
}

/* Add the sums of a rank, whose visits are complete. */
static void add_sums(struct efficiency_threads *threads, const struct threading *threading,
		     struct time_span rank, uint64_t compute_ns)
{
	const uint64_t k = threading->threads;
	uint64_t visits_ns = 0, compute_in_visits_ns = 0, serial_ns;

	for (size_t v = 0; v < threading->visits.count; v++) {
		const struct visit *visit = &threading->visits.items[v];
		const uint64_t ns = visit->span.end_ns - visit->span.begin_ns;
		const uint64_t compute = ns > visit->mpi_ns ? ns - visit->mpi_ns : 0;

		visits_ns += ns;
		compute_in_visits_ns += compute;
		threads->useful_ns += visit->busy_ns;
		threads->balanced_ns += visit->team * visit->most_busy_ns;
		threads->limited_ns += (k - visit->team) * ns;
		threads->lost_ns += (k - visit->team) * compute;
	}
	serial_ns = compute_ns > compute_in_visits_ns ? compute_ns - compute_in_visits_ns : 0;
	threads->threads += k;
	threads->visits += threading->visits.count;
	threads->useful_ns += serial_ns;
	threads->balanced_ns += serial_ns;
	threads->lost_ns += (k - 1) * serial_ns;
	threads->idle_ns += (k - 1) * (rank.end_ns - rank.begin_ns - visits_ns);
	threads->thread_compute_ns += k * compute_ns;
}

static int add_openmp_rank(struct efficiency_threads *threads, struct threading *threading,
			   uint32_t number, uint64_t compute_ns, struct error *err)
{
	const struct time_span rank = measured_rank_span(threading->run, number);

	threading->rank = &threading->run->ranks[number];
	threading->threads = 0;
	TRY(measured_openmp_read(&threading->openmp, threading->run, number, err));
	TRY(order_calls(threading, err));
	TRY(list_visits(threading, rank, err));
	for (size_t i = 0; i < threading->openmp.spans.count;)
		i = add_openmp_thread(threading, threads, i);
	/* A rank without parallel regions has one thread. */
	if (!threading->threads)
		threading->threads = 1;
	add_sums(threads, threading, rank, compute_ns);
	return 0;
}

/* Add up over all processes. */
static int join_threads(struct efficiency_threads *threads, struct dist *dist, struct error *err)
{
	uint64_t *const sums[] = {
		&threads->threads,	     &threads->visits,	   &threads->useful_ns,
		&threads->thread_compute_ns, &threads->lost_ns,	   &threads->balanced_ns,
		&threads->idle_ns,	     &threads->limited_ns, &threads->critical_ns,
	};
	enum { SUMS = sizeof sums / sizeof *sums };
	uint64_t values[SUMS];

	for (size_t i = 0; i < SUMS; i++)
		values[i] = *sums[i];
	TRY(dist_allreduce(dist, values, SUMS, DIST_SUM, err));
	for (size_t i = 0; i < SUMS; i++)
		*sums[i] = values[i];
	return 0;
}

int efficiency_threads_find(struct efficiency_threads *threads, const struct measured_run *run,
			    const struct totals *totals, struct dist *dist, struct error *err)
{
	struct threading threading = {.run = run};
	int result = 0;

	*threads = (struct efficiency_threads){0};
	if (!run->world->has_openmp)
		return 0;
	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++)
		result = add_openmp_rank(threads, &threading, r, totals->ranks[r].compute_ns, err);
	measured_openmp_release(&threading.openmp);
	array_release(&threading.visits);
	array_release(&threading.order);
	array_release(&threading.first);
	TRY(dist_agree(dist, result, err));
	TRY(join_threads(threads, dist, err));
	if (!threads->visits)
		*threads = (struct efficiency_threads){0};
	return 0;
}
