/* The end of kept sizes, for what knows nothing else of them. */
#include "pmpi/sizes.h"

#include <stdlib.h>

void sizes_free(struct sizes *sizes)
{
	if (!sizes)
		return;
	for (int i = 0; i < KEPT_SIZES; i++)
		neighbours_free(sizes->comms[i].comm.neighbours);
	free(sizes);
}
