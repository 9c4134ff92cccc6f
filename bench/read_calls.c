/*
 * Read all calls of a trace like schedgen, without using them: read_calls ARCHIVE.
 */
#include "trace/trace_reader.h"

#include <stdio.h>

static int receive(void *data, const struct mpi_call *call, struct error *err)
{
	(void)err;
	*(uint64_t *)data += call->event_count;
	return 0;
}

int main(int argc, char **argv)
{
	struct trace_reader *reader = NULL;
	struct error err;
	uint64_t records = 0;
	int result = argc == 2 ? trace_reader_open(&reader, argv[1], &err) : -1;

	for (uint32_t rank = 0; result == 0 && rank < trace_reader_world(reader)->rank_count;
	     rank++)
		result = trace_reader_rank(reader, rank, receive, &records, &err);
	trace_reader_close(reader);
	if (result < 0 && argc == 2)
		fprintf(stderr, "read_calls: %s\n", err.text);
	printf("%llu\n", (unsigned long long)records);
	return result < 0;
}
