#include "goal/print.h"

/* A buffered stream; numbers are written here and not by printf, which is slow. */
struct printer {
	FILE *stream;
	size_t used;
	int failed;
	char buffer[1 << 14];
};

/* No line is longer. */
enum { MOST_LINE_BYTES = 256 };

static void flush(struct printer *printer)
{
	if (fwrite(printer->buffer, 1, printer->used, printer->stream) != printer->used)
		printer->failed = 1;
	printer->used = 0;
}

static void put_text(struct printer *printer, const char *text)
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
	put_text(printer, text);
	put_number(printer, number);
}

static void put_or_any(struct printer *printer, const char *text, uint32_t number)
{
	put_text(printer, text);
	if (number == GOAL_ANY)
		put_text(printer, "-1");
	else
		put_number(printer, number);
}

static void end_line(struct printer *printer)
{
	put_text(printer, "\n");
	if (printer->used > sizeof printer->buffer - MOST_LINE_BYTES)
		flush(printer);
}

/* Labels count from 1, as Schedgen's do. */
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

/*
 * Every operation has two lists of successors to be printed in order, number
 * 2 * index of those that require and 2 * index + 1 of those that irequire it.
 * A list whose next successor does not stand above yet waits for it: the lists
 * that wait for one operation are chained in a ring, last[operation] being the
 * end of the ring.
 */
struct waiting {
	uint32_t *next_successor;	/* of each list */
	uint32_t *next_list;		/* in the ring */
	uint32_t *last;			/* per operation, NONE for no list */
};

enum { LISTS = 2 };
#define NONE UINT32_MAX

size_t goal_print_scratch(const struct goal_block *block)
{
	return (size_t)block->op_count * (LISTS + LISTS + 1);
}

/* Print what can be printed of the list now that operations 0 to `printed` stand above. */
static void print_list(struct printer *printer, const struct goal_block *block,
		       struct waiting *waiting, uint64_t list, uint32_t printed)
{
	uint32_t before = (uint32_t)(list / LISTS);
	struct goal_op op = goal_op(block, before);
	int irequires = list % LISTS;
	uint32_t end = irequires ? op.irequires_first + op.irequires_count
				 : op.requires_first + op.requires_count;
	uint32_t i = waiting->next_successor[list];

	while (i < end) {
		uint32_t after = goal_successor(block, i);

		if (after > printed) {
			uint32_t *last = &waiting->last[after];

			if (*last == NONE) {
				waiting->next_list[list] = (uint32_t)list;
			} else {
				waiting->next_list[list] = waiting->next_list[*last];
				waiting->next_list[*last] = (uint32_t)list;
			}
			*last = (uint32_t)list;
			break;
		}
		put_pair(printer, "l", (uint64_t)after + 1);
		put_pair(printer, irequires ? " irequires l" : " requires l", (uint64_t)before + 1);
		end_line(printer);
		i++;
	}
	waiting->next_successor[list] = i;
}

static void print_dependencies(struct printer *printer, const struct goal_block *block,
			       struct waiting *waiting, uint32_t printed)
{
	uint32_t last = waiting->last[printed];

	if (last != NONE) {
		uint32_t list = waiting->next_list[last];
		int done;

		do {
			uint32_t next = waiting->next_list[list];

			done = list == last;
			print_list(printer, block, waiting, list, printed);
			list = next;
		} while (!done);
	}
	for (int i = 0; i < LISTS; i++)
		print_list(printer, block, waiting, (uint64_t)printed * LISTS + i, printed);
}

int goal_print_rank(FILE *stream, uint32_t rank, const struct goal_block *block,
		    uint32_t *scratch)
{
	struct printer printer;
	struct waiting waiting = {
		.next_successor = scratch,
		.next_list = scratch + (size_t)block->op_count * LISTS,
		.last = scratch + (size_t)block->op_count * LISTS * 2,
	};

	printer.stream = stream;
	printer.used = 0;
	printer.failed = 0;
	put_pair(&printer, "\nrank ", rank);
	put_text(&printer, " {");
	end_line(&printer);
	for (uint32_t i = 0; i < block->op_count; i++)
		waiting.last[i] = NONE;
	for (uint32_t i = 0; i < block->op_count; i++) {
		struct goal_op op = goal_op(block, i);

		waiting.next_successor[(size_t)i * LISTS] = op.requires_first;
		waiting.next_successor[(size_t)i * LISTS + 1] = op.irequires_first;
		print_op(&printer, i, &op);
		print_dependencies(&printer, block, &waiting, i);
	}
	put_text(&printer, "}");
	end_line(&printer);
	flush(&printer);
	return printer.failed ? -1 : 0;
}
