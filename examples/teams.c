/*
 * Teams of a master and its workers, with wildcards.
 *
 *	mpiexec -n 8 teams [--teams N] [--tasks N]
 *
 * MPI_Comm_split divides the ranks into teams.  In each team rank 0, the
 * master, hands out tasks and takes results from the first worker that is ready
 * (MPI_ANY_SOURCE), of any kind (MPI_ANY_TAG: the tag names the quadrature rule
 * that the worker used).  At the end the masters, in a communicator of their
 * own, add up the results of their teams.
 *
 * A task is a piece of the integral of 4 / (1 + x^2) from 0 to 1, which is pi.
 */
#include "tally.h"

#include <math.h>

#define PI 3.14159265358979323846

enum tag { TAG_TASK = 1, TAG_STOP, TAG_MIDPOINT, TAG_TRAPEZOID };

struct team {
	MPI_Comm comm;
	int number, teams;	/* this team, number of teams */
	int rank, size;		/* in the team */
	int tasks;		/* of all teams */
};

/* Rank in MPI_COMM_WORLD of a rank of the team.  Ranks go to the teams in turn. */
static int world_rank(const struct team *team, int rank)
{
	return rank * team->teams + team->number;
}

static double f(double x)
{
	return 4 / (1 + x * x);
}

/* Compute a piece of the integral.  Odd and even tasks use different rules. */
static double integrate(const struct team *team, int task)
{
	int steps = 20000;
	double h = 1.0 / team->tasks / steps, start = (double)task / team->tasks, sum = 0;

	for (int i = 0; i < steps; i++)
		sum += task % 2 ? f(start + (i + 0.5) * h)
				: 0.5 * (f(start + i * h) + f(start + (i + 1) * h));
	return sum * h;
}

static void hand_out(const struct team *team, int worker, int task)
{
	MPI_Send(&task, 1, MPI_INT, worker, task < team->tasks ? TAG_TASK : TAG_STOP, team->comm);
	tally_send(world_rank(team, worker), sizeof task);
}

/* The master: its team has the tasks number, number + teams, ... */
static double lead(const struct team *team)
{
	double sum = 0, result;
	int next = team->number, busy = 0;
	MPI_Status status;

	if (team->size == 1) {
		for (; next < team->tasks; next += team->teams)
			sum += integrate(team, next);
		return sum;
	}
	for (int worker = 1; worker < team->size; worker++, next += team->teams) {
		hand_out(team, worker, next);
		busy += next < team->tasks;
	}
	while (busy > 0) {
		MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, team->comm, &status);
		tally_receive(world_rank(team, status.MPI_SOURCE), sizeof result);
		if (status.MPI_TAG != TAG_MIDPOINT && status.MPI_TAG != TAG_TRAPEZOID)
			MPI_Abort(MPI_COMM_WORLD, 1);
		sum += result;
		busy += (next < team->tasks) - 1;
		hand_out(team, status.MPI_SOURCE, next);
		next += team->teams;
	}
	return sum;
}

static void serve(const struct team *team)
{
	for (;;) {
		MPI_Status status;
		double result;
		int task;

		MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, team->comm, &status);
		tally_receive(world_rank(team, 0), sizeof task);
		if (status.MPI_TAG == TAG_STOP)
			return;
		result = integrate(team, task);
		MPI_Send(&result, 1, MPI_DOUBLE, 0, task % 2 ? TAG_MIDPOINT : TAG_TRAPEZOID,
			 team->comm);
		tally_send(world_rank(team, 0), sizeof result);
	}
}

/* Add up the masters' sums, and send the result to all ranks. */
static double add_up(const struct team *team, double sum)
{
	MPI_Comm masters;
	double total = 0;

	MPI_Comm_split(MPI_COMM_WORLD, team->rank == 0 ? 0 : MPI_UNDEFINED, team->number, &masters);
	tally_collective("MPI_Comm_split");
	if (masters != MPI_COMM_NULL) {
		MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, masters);
		tally_collective("MPI_Reduce");
		MPI_Comm_free(&masters);
		tally_collective("MPI_Comm_free");
	}
	MPI_Bcast(&total, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	tally_collective("MPI_Bcast");
	return total;
}

int main(int argc, char **argv)
{
	struct team team = {.teams = 2, .tasks = 60};
	double sum = 0, error;
	int rank, ranks, usable = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--teams"))
			usable = usable && sscanf(value, "%d", &team.teams) == 1;
		else if (!strcmp(argv[i], "--tasks"))
			usable = usable && sscanf(value, "%d", &team.tasks) == 1;
		else
			usable = 0;
	}
	if (!usable || team.teams < 1 || team.teams > ranks || team.tasks < 1) {
		if (rank == 0)
			fprintf(stderr,
				"usage: teams [--teams N] [--tasks N]; at least one rank for each team\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	team.number = rank % team.teams;
	MPI_Comm_split(MPI_COMM_WORLD, team.number, rank, &team.comm);
	tally_collective("MPI_Comm_split");
	MPI_Comm_rank(team.comm, &team.rank);
	MPI_Comm_size(team.comm, &team.size);

	if (team.rank == 0)
		sum = lead(&team);
	else
		serve(&team);
	MPI_Barrier(team.comm);
	tally_collective("MPI_Barrier");
	error = fabs(add_up(&team, sum) - PI);

	if (rank == 0)
		printf("teams: %d tasks, %d teams of %d ranks: %s (error %.1e)\n", team.tasks,
		       team.teams, ranks, error < 1e-10 ? "correct" : "WRONG", error);
	MPI_Comm_free(&team.comm);
	tally_collective("MPI_Comm_free");
	tally_end();
	MPI_Finalize();
	return error < 1e-10 ? 0 : 1;
}
