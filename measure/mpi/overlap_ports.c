#include "measure/mpi/overlap_ports.h"

#include "common/array.h"
#include "launch/forwarded.h"
#include "measure/overlap/run.h"

#include <stdio.h>

void overlap_abort(const struct error *err)
{
	fprintf(stderr, "llamp-measure: %s\n", err->text);
	forwarded_wait();
	MPI_Abort(MPI_COMM_WORLD, err->status);
}

static void *follow_orders(void *pointer)
{
	struct overlap_port *port = pointer;
	struct error err;

	if (overlap_serve(&port->port, &err) < 0)
		overlap_abort(&err);
	return NULL;
}

static int start_threads(struct overlap_ports *ports, struct error *err)
{
	for (unsigned i = 1; i < ports->team.count; i++)
		if (pthread_create(&ports->threads[i], NULL, follow_orders, &ports->items[i]) != 0)
			return error_set(err, STATUS_SYSTEM, "no thread can be started");
	return 0;
}

int overlap_ports_init(struct overlap_ports *ports, const struct ports_options *options,
		       struct error *err)
{
	TRY(overlap_team_init(&ports->team, options->threads, err));
	TRY(allocate(&ports->items, options->threads, sizeof *ports->items, err));
	TRY(allocate(&ports->threads, options->threads, sizeof *ports->threads, err));
	for (unsigned i = 0; i < options->threads; i++) {
		overlap_port_init(&ports->items[i], &ports->team, i, options->partners);
		ports->items[i].pin = options->pin;
	}
	TRY(kernels_init(&ports->items[0].kernels, options->memory, err));
	for (unsigned i = 1; i < options->threads; i++)
		ports->items[i].kernels = ports->items[0].kernels;
	return start_threads(ports, err);
}

void overlap_ports_release(struct overlap_ports *ports)
{
	for (unsigned i = 1; i < ports->team.count; i++)
		pthread_join(ports->threads[i], NULL);
	kernels_release(&ports->items[0].kernels);
	for (unsigned i = 0; i < ports->team.count; i++)
		overlap_port_release(&ports->items[i]);
	overlap_team_release(&ports->team);
	free(ports->items);
	free(ports->threads);
}
