#include "goal/print.h"

#include "common/array.h"
#include "common/number_map.h"

#include <sys/mman.h>

/*
 * The successors of one kind of an operation that are not printed yet. They are printed in
 * order, so a list waits until its next successor is printed. The lists that wait for one
 * operation are chained in a ring, in the order in which they came.
 */
struct list {
	uint32_t before;	/* the operation */
	uint32_t at, end;	/* among the successors of the block */
	uint32_t next;		/* in the ring, or of the free lists */
	bool irequires;
};

/* Lists of operations that come soon are in an array, others in a map. */
enum { SOON = 1 << 10 };
#define NONE UINT32_MAX

struct printer {
	const struct goal_block *block;
	uint32_t printed;		/* the last operation that was printed */
	ARRAY(struct list) lists;
	uint32_t free;			/* first unused list, or NONE */
	uint32_t soon[SOON];		/* last list of the ring of an operation, or NONE */
	struct number_map late;		/* last list of the ring of an operation that was far off */

	/* Buffered stream, since printf would be slow. */
	FILE *stream;
	size_t used;
	bool failed;
	char buffer[1 << 14];
};

/* Number of bytes of the longest line. */
enum { MOST_LINE_BYTES = 256 };

static void print_flush(struct printer *printer)
{
	if (fwrite(printer->buffer, 1, printer->used, printer->stream) != printer->used)
		printer->failed = true;
	printer->used = 0;
}

static void print_put(struct printer *printer, const char *text)
{
	while (*text)
		printer->buffer[printer->used++] = *text++;
}

static void put_number(struct printer *printer, uint64_t number)
{
	char digits[20];
	int count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		printer->buffer[printer->used++] = digits[--count];
}

static void put_pair(struct printer *printer, const char *text, uint64_t number)
{
	print_put(printer, text);
	put_number(printer, number);
}

static void put_or_any(struct printer *printer, const char *text, uint32_t number)
{
	print_put(printer, text);
	if (number == GOAL_ANY)
		print_put(printer, "-1");
	else
		put_number(printer, number);
}

static void end_line(struct printer *printer)
{
	print_put(printer, "\n");
	if (printer->used > sizeof printer->buffer - MOST_LINE_BYTES)
		print_flush(printer);
}

/* Count labels from 1, as Schedgen does. */
static void print_op(struct printer *printer, uint32_t index, const struct goal_op *op)
{
	put_pair(printer, "l", (uint64_t)index + 1);
	if (op->kind == GOAL_CALC) {
		put_pair(printer, ": calc ", op->size);
	} else {
		put_pair(printer, op->kind == GOAL_SEND ? ": send " : ": recv ", op->size);
		put_or_any(printer, op->kind == GOAL_SEND ? "b to " : "b from ", op->peer);
		put_or_any(printer, " tag ", op->tag);
	}
	if (op->cpu)
		put_pair(printer, " cpu ", op->cpu);
	if (op->nic)
		put_pair(printer, " nic ", op->nic);
	end_line(printer);
}

/* Append a list to a ring as the last one. */
static uint32_t chain(struct printer *printer, uint32_t last, uint32_t list)
{
	struct list *lists = printer->lists.items;

	lists[list].next = last == NONE ? list : lists[last].next;
	if (last != NONE)
		lists[last].next = list;
	return list;
}

/* Let a list wait for its next successor. */
static int print_wait(struct printer *printer, const struct list *waiting, struct error *err)
{
	const uint32_t after = goal_successor(printer->block, waiting->at);
	uint32_t list = printer->free, last;

	if (list == NONE) {
		list = (uint32_t)printer->lists.count;
		TRY(array_push(&printer->lists, *waiting, err));
	} else {
		printer->free = printer->lists.items[list].next;
		printer->lists.items[list] = *waiting;
	}
	if (after - printer->printed < SOON) {
		printer->soon[after % SOON] = chain(printer, printer->soon[after % SOON], list);
		return 0;
	}
	last = number_map_remove(&printer->late, after, 0);
	return number_map_add(&printer->late, after, 0, chain(printer, last, list), err);
}

/* Print the dependencies of a list that can be printed now. */
static int print_list(struct printer *printer, struct list *list, struct error *err)
{
	for (; list->at < list->end; list->at++) {
		const uint32_t after = goal_successor(printer->block, list->at);

		if (after > printer->printed)
			return print_wait(printer, list, err);
		put_pair(printer, "l", (uint64_t)after + 1);
		put_pair(printer, list->irequires ? " irequires l" : " requires l",
			 (uint64_t)list->before + 1);
		end_line(printer);
	}
	return 0;
}

/* Continue all lists of a ring, given its last one. */
static int print_ring(struct printer *printer, uint32_t last, struct error *err)
{
	uint32_t next = last == NONE ? NONE : printer->lists.items[last].next, list;

	if (next == NONE)
		return 0;
	do {
		struct list waited = printer->lists.items[next];

		list = next;
		next = waited.next;
		printer->lists.items[list].next = printer->free;
		printer->free = list;
		TRY(print_list(printer, &waited, err));
	} while (list != last);
	return 0;
}

/* Lists in the map came when the operation was far off, so they precede the lists in the array. */
static int print_waiting(struct printer *printer, struct error *err)
{
	uint32_t *soon = &printer->soon[printer->printed % SOON];
	const uint32_t last = *soon;

	*soon = NONE;
	if (printer->late.count)
		TRY(print_ring(printer, number_map_remove(&printer->late, printer->printed, 0),
			       err));
	return print_ring(printer, last, err);
}

static int print_ops(struct printer *printer, void *mapped, struct error *err)
{
	enum { OPS_BETWEEN = 1 << 16 };
	const struct goal_block *block = printer->block;
	const size_t bytes = (size_t)(block->successors - (const uint8_t *)mapped) +
			     (size_t)block->successor_count * 4;

	for (uint32_t i = 0; i < block->op_count && !printer->failed; i++) {
		const struct goal_op op = goal_op(block, i);
		struct list requires = {.before = i, .at = op.requires_first};
		struct list irequires = {.before = i, .at = op.irequires_first, .irequires = true};

		requires.end = requires.at + op.requires_count;
		irequires.end = irequires.at + op.irequires_count;
		printer->printed = i;
		print_op(printer, i, &op);
		TRY(print_waiting(printer, err));
		TRY(print_list(printer, &requires, err));
		TRY(print_list(printer, &irequires, err));
		if (mapped && i % OPS_BETWEEN == 0)
			madvise(mapped, bytes, MADV_DONTNEED);
	}
	return 0;
}

int goal_print_rank(FILE *stream, uint32_t rank, const struct goal_block *block, void *mapped,
		    struct error *err)
{
	struct printer printer;
	int result;

	if (block->op_count > GOAL_PRINT_MOST_OPS)
		return error_set(err, STATUS_LIMIT,
				 "text of more than %d operations a rank is not supported",
				 GOAL_PRINT_MOST_OPS);
	printer.block = block;
	printer.stream = stream;
	printer.used = 0;
	printer.failed = false;
	printer.free = NONE;
	memset(&printer.lists, 0, sizeof printer.lists);
	memset(&printer.late, 0, sizeof printer.late);
	for (size_t i = 0; i < SOON; i++)
		printer.soon[i] = NONE;
	put_pair(&printer, "\nrank ", rank);
	print_put(&printer, " {");
	end_line(&printer);
	result = print_ops(&printer, mapped, err);
	print_put(&printer, "}");
	end_line(&printer);
	print_flush(&printer);
	array_release(&printer.lists);
	number_map_release(&printer.late);
	return result;
}
