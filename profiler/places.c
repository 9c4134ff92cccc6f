#include "profiler/places.h"

#include "common/error.h"
#include "pmpi/process.h"
#include "profiler/attendance.h"

struct places places;

void places_find(void)
{
	struct error err;

	if (!attendance.whole || places.known)
		return;
	places.one_node = attendance.one_node;
	if (!places.one_node) {
		if (allocate(&places.here, (size_t)process.size / 64 + 1, sizeof *places.here,
			     &err) < 0)
			return;
		for (size_t i = 0; i < attendance.ranks.count; i++) {
			const int32_t rank = attendance.ranks.items[i];

			places.here[rank / 64] |= (uint64_t)1 << rank % 64;
		}
	}
	places.known = true;
}
