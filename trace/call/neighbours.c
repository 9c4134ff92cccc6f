#include "trace/call/neighbours.h"

#include "common/units.h"

#include <ctype.h>
#include <stdlib.h>

static int neighbours_add_rank(struct neighbour_lists *lists, const char **at, uint32_t size,
			       struct error *err)
{
	char *end;
	unsigned long long rank;

	if (!isdigit((unsigned char)**at))
		return error_set(err, STATUS_DATA, "a rank is missing in a list of neighbours");
	rank = strtoull(*at, &end, 10);
	*at = end;
	if (rank >= size)
		return error_set(err, STATUS_DATA,
				 "the neighbour %llu is not among the %u rank%s of the"
				 " communicator",
				 rank, size, plural(size));
	return array_push(&lists->ranks, (uint32_t)rank, err);
}

/* Read "1,5,7" up to `end`; *at is after it on return. */
static int add_list(struct neighbour_lists *lists, const char **at, char end, uint32_t size,
		    struct error *err)
{
	if (**at != end)
		TRY(neighbours_add_rank(lists, at, size, err));
	for (; **at == ',';) {
		(*at)++;
		TRY(neighbours_add_rank(lists, at, size, err));
	}
	if (**at != end)
		return error_set(err, STATUS_DATA, "\"%.20s\" is no list of neighbours", *at);
	*at += end != '\0';
	return 0;
}

int neighbour_lists_read(struct neighbour_lists *lists, const char *text, uint32_t size,
			 struct error *err)
{
	lists->ranks.count = 0;
	TRY(add_list(lists, &text, ';', size, err));
	lists->source_count = (uint32_t)lists->ranks.count;
	return add_list(lists, &text, '\0', size, err);
}

void neighbour_lists_release(struct neighbour_lists *lists)
{
	array_release(&lists->ranks);
}
