#include "schedgen/collectives/neighbours.h"

#include "common/units.h"

#include <ctype.h>
#include <stdlib.h>

static int add_rank(struct neighbours *neighbours, const char **at, uint32_t size,
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
	return array_push(&neighbours->ranks, (uint32_t)rank, err);
}

/* Read "1,5,7" up to `end`; *at is after it on return. */
static int add_list(struct neighbours *neighbours, const char **at, char end, uint32_t size,
		    struct error *err)
{
	if (**at != end)
		TRY(add_rank(neighbours, at, size, err));
	for (; **at == ',';) {
		(*at)++;
		TRY(add_rank(neighbours, at, size, err));
	}
	if (**at != end)
		return error_set(err, STATUS_DATA, "\"%.20s\" is no list of neighbours", *at);
	*at += end != '\0';
	return 0;
}

int neighbours_read(struct neighbours *neighbours, struct collective *collective,
		    const struct mpi_event *event, struct error *err)
{
	const char *at = event->neighbours;

	neighbours->ranks.count = 0;
	TRY(add_list(neighbours, &at, ';', collective->size, err));
	collective->source_count = (uint32_t)neighbours->ranks.count;
	TRY(add_list(neighbours, &at, '\0', collective->size, err));
	collective->destination_count = (uint32_t)neighbours->ranks.count -
					collective->source_count;
	collective->sources = neighbours->ranks.items;
	collective->destinations = neighbours->ranks.items + collective->source_count;
	if (!event->send_bytes || !event->receive_bytes ||
	    event->send_count != collective->destination_count ||
	    event->receive_count != collective->source_count)
		return error_set(err, STATUS_DATA,
				 "a collective of neighbours lacks its byte counts");
	collective->send_bytes = event->send_bytes;
	collective->receive_bytes = event->receive_bytes;
	collective->block_bytes = event->send_count ? event->send_bytes[0] : 0;
	return 0;
}

void neighbours_release(struct neighbours *neighbours)
{
	array_release(&neighbours->ranks);
}
