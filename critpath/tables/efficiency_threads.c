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

static void add_calls(struct threading *threading, uint32_t thread)
{
	size_t first = 0;

	for (uint32_t c = 0; c < threading->rank->calls.count; c++) {
		const struct measured_call *call = &threading->rank->calls.items[c];

		if (call->thread == thread)
			add_time(threading, &first,
				 (struct time_span){call->enter_ns, call->leave_ns}, false);
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
	TRY(list_visits(threading, rank, err));
	for (size_t i = 0; i < threading->openmp.spans.count;)
		i = add_openmp_thread(threading, threads, i);
	/* A rank without parallel regions has one thread. */
	if (!threading->threads)
		threading->threads = 1;
	add_sums(threads, threading, rank, compute_ns);
	return 0;
}

int efficiency_threads_find(struct efficiency_threads *threads, const struct measured_run *run,
			    const struct totals *totals, struct error *err)
{
	struct threading threading = {.run = run};
	int result = 0;

	*threads = (struct efficiency_threads){0};
	for (uint32_t r = 0; result == 0 && run->world->has_openmp && r < run->rank_count; r++)
		result = add_openmp_rank(threads, &threading, r, totals->ranks[r].compute_ns, err);
	measured_openmp_release(&threading.openmp);
	array_release(&threading.visits);
	if (!threads->visits)
		*threads = (struct efficiency_threads){0};
	return result;
}
