#include "trace/measured/measured_openmp.h"

#include <stdlib.h>

/* Enter a region: only the outermost begins a span. */
static void openmp_begin(struct openmp_open *open, enum openmp_span_kind kind, uint64_t time_ns)
{
	if (!open->depth[kind]++)
		open->since_ns[kind] = time_ns;
}

static void openmp_add_span(struct measured_openmp *openmp, uint32_t thread,
			    enum openmp_span_kind kind, uint64_t time_ns)
{
	const uint64_t since_ns = openmp->open.items[thread].since_ns[kind];
	const struct openmp_span span = {thread, kind, {since_ns, time_ns}};

	openmp->result = array_push(&openmp->spans, span, openmp->err);
}

static void openmp_end(struct measured_openmp *openmp, uint32_t thread, enum openmp_span_kind kind,
		       uint64_t time_ns)
{
	struct openmp_open *open = &openmp->open.items[thread];

	if (open->depth[kind] && !--open->depth[kind])
		openmp_add_span(openmp, thread, kind, time_ns);
}

/* Enter a task: the thread does not wait until it leaves it, but in the task itself. */
static void openmp_begin_task(struct measured_openmp *openmp, uint32_t thread, uint64_t time_ns)
{
	struct openmp_open *open = &openmp->open.items[thread];
	const uint32_t depth = open->depth[OPENMP_SPAN_WAIT];

	openmp->result = array_push(&open->waits, depth, openmp->err);
	open->depth[OPENMP_SPAN_WAIT] = 0;
	if (openmp->result == 0 && depth)
		openmp_add_span(openmp, thread, OPENMP_SPAN_WAIT, time_ns);
}

static void openmp_end_task(struct openmp_open *open, uint64_t time_ns)
{
	if (!open->waits.count)
		return;
	open->depth[OPENMP_SPAN_WAIT] = open->waits.items[--open->waits.count];
	open->since_ns[OPENMP_SPAN_WAIT] = time_ns;
}

static int openmp_thread(struct measured_openmp *openmp, uint32_t thread)
{
	while (openmp->open.count <= thread)
		TRY(array_push(&openmp->open, (struct openmp_open){0}, openmp->err));
	return 0;
}

static void see_openmp(void *data, uint32_t thread, uint64_t time_ns, enum openmp_region region,
		       bool enters)
{
	struct measured_openmp *openmp = data;

	if (openmp->result == 0)
		openmp->result = openmp_thread(openmp, thread);
	if (openmp->result < 0)
		return;
	switch (region) {
	case OPENMP_PARALLEL:
	case OPENMP_WAIT: {
		const enum openmp_span_kind kind = region == OPENMP_PARALLEL ? OPENMP_SPAN_PARALLEL
									     : OPENMP_SPAN_WAIT;

		if (enters)
			openmp_begin(&openmp->open.items[thread], kind, time_ns);
		else
			openmp_end(openmp, thread, kind, time_ns);
		break;
	}
	case OPENMP_TASK:
		if (enters)
			openmp_begin_task(openmp, thread, time_ns);
		else
			openmp_end_task(&openmp->open.items[thread], time_ns);
		break;
	case OPENMP_CRITICAL:
		if (enters)
			openmp_begin(&openmp->open.items[thread], OPENMP_SPAN_CRITICAL, time_ns);
		else /* Without the section itself it is not known when it was free. */
			openmp->open.items[thread].depth[OPENMP_SPAN_CRITICAL] = 0;
		break;
	case OPENMP_CRITICAL_INSIDE:
		if (enters)
			openmp_end(openmp, thread, OPENMP_SPAN_CRITICAL, time_ns);
		break;
	case OPENMP_NONE:
		break;
	}
}

static int ignore(void *nothing, const struct mpi_call *call, struct error *err)
{
	(void)nothing, (void)call, (void)err;
	return 0;
}

static void openmp_clear_open(struct measured_openmp *openmp)
{
	for (size_t i = 0; i < openmp->open.count; i++)
		array_release(&openmp->open.items[i].waits);
	openmp->open.count = 0;
}

static int openmp_compare(const void *a, const void *b)
{
	const struct openmp_span *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->span.begin_ns != y->span.begin_ns)
		return x->span.begin_ns < y->span.begin_ns ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

int measured_openmp_read(struct measured_openmp *openmp, const struct measured_run *run,
			 uint32_t rank, struct error *err)
{
	openmp->spans.count = 0;
	openmp_clear_open(openmp);
	openmp->result = 0;
	openmp->err = err;
	if (!run->world->has_openmp || !run->reader)
		return 0;
	if (!openmp->reader)
		TRY(trace_reader_again(&openmp->reader, run->reader, err));
	trace_reader_openmp(openmp->reader, see_openmp, openmp);
	TRY(trace_reader_rank(openmp->reader, rank, ignore, NULL, err));
	TRY(openmp->result);
	if (openmp->spans.count)
		qsort(openmp->spans.items, openmp->spans.count, sizeof *openmp->spans.items,
		      openmp_compare);
	return 0;
}

void measured_openmp_release(struct measured_openmp *openmp)
{
	array_release(&openmp->spans);
	openmp_clear_open(openmp);
	array_release(&openmp->open);
	trace_reader_close(openmp->reader);
}
