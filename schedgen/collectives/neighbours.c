#include "schedgen/collectives/neighbours.h"

int neighbours_read(struct neighbour_lists *lists, struct collective *collective,
		    const struct mpi_event *event, struct error *err)
{
	TRY(neighbour_lists_read(lists, event->neighbours, collective->size, err));
	collective->source_count = lists->source_count;
	collective->destination_count = (uint32_t)lists->ranks.count - lists->source_count;
	collective->sources = lists->ranks.items;
	collective->destinations = lists->ranks.items + collective->source_count;
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
