#include "measure/mpi/overlap_team.h"

#include "common/array.h"

#include <math.h>
#include <string.h>

void overlap_team_meet(struct overlap_team *team)
{
	if (team->count > 1)
		pthread_barrier_wait(&team->barrier);
}

void overlap_team_largest(struct overlap_team *team, unsigned member, double *values, size_t count)
{
	team->values[member] = values;
	overlap_team_meet(team);
	for (unsigned other = 1; member == 0 && other < team->count; other++)
		for (size_t i = 0; i < count; i++)
			values[i] = fmax(values[i], team->values[other][i]);
	overlap_team_meet(team);
}

void overlap_team_share(struct overlap_team *team, unsigned member, void *bytes, size_t count)
{
	if (member == 0)
		team->bytes = bytes;
	overlap_team_meet(team);
	if (member != 0)
		memcpy(bytes, team->bytes, count);
	overlap_team_meet(team);
}

int overlap_team_init(struct overlap_team *team, unsigned count, struct error *err)
{
	*team = (struct overlap_team){.count = count};
	TRY(allocate(&team->values, count, sizeof *team->values, err));
	if (pthread_barrier_init(&team->barrier, NULL, count) != 0)
		return error_set(err, STATUS_SYSTEM, "threads cannot meet");
	return 0;
}

void overlap_team_release(struct overlap_team *team)
{
	pthread_barrier_destroy(&team->barrier);
	free(team->values);
}
