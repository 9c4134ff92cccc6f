/* What the environment and a command line say of an MPI and its launcher (launch/launcher.h, launch_mpi.h). */
#include "launch/launch_mpi.h"
#include "launch/launcher.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const variables[] = {
	"OMPI_COMM_WORLD_RANK",
	"OMPI_COMM_WORLD_SIZE",
	"PMI_RANK",
	"PMI_SIZE",
	"PMIX_RANK",
	"SLURM_PROCID",
	"OMPI_COMM_WORLD_LOCAL_SIZE",
	"MPI_LOCALNRANKS",
	"SLURM_STEP_TASKS_PER_NODE",
	"SLURM_NODEID",
};

static int clear_environment(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	return 0;
}

static void launcher_is_known_by_its_variables(void **state)
{
	(void)state;
	assert_null(launcher_mpi());
	assert_int_equal(launcher_rank(NULL), -1);
	setenv("PMI_RANK", "3", 1);
	setenv("PMI_SIZE", "4", 1);
	assert_string_equal(launcher_mpi()->key, "mpich");
	assert_int_equal(launcher_rank(NULL), 3);
	assert_int_equal(launcher_rank(&mpi_implementations[MPI_mpich]), 3);
	assert_int_equal(launcher_rank(&mpi_implementations[MPI_openmpi]), -1);
}

static void slurm_starts_open_mpi_by_pmix(void **state)
{
	(void)state;
	setenv("SLURM_PROCID", "6", 1);
	assert_null(launcher_mpi());
	assert_int_equal(launcher_rank(NULL), 6);
	setenv("PMIX_RANK", "5", 1);
	assert_string_equal(launcher_mpi()->key, "openmpi");
	assert_int_equal(launcher_rank(&mpi_implementations[MPI_mpich]), 5);
}

static void assert_slurm_starts(const char *list, const char *node, long processes)
{
	setenv("SLURM_STEP_TASKS_PER_NODE", list, 1);
	setenv("SLURM_NODEID", node, 1);
	assert_int_equal(launcher_local_size(), processes);
}

static void launchers_tell_the_processes_of_a_node(void **state)
{
	(void)state;
	assert_int_equal(launcher_local_size(), 0);
	assert_slurm_starts("7", "0", 7);
	assert_slurm_starts("7", "1", 0);
	assert_slurm_starts("4(x2),3,12(x10)", "1", 4);
	assert_slurm_starts("4(x2),3,12(x10)", "2", 3);
	assert_slurm_starts("4(x2),3,12(x10)", "12", 12);
	assert_slurm_starts("4(x2),3,12(x10)", "13", 0);
	assert_slurm_starts("4(x2);3", "2", 0);
	assert_slurm_starts("many", "0", 0);
	setenv("MPI_LOCALNRANKS", "5", 1);
	assert_int_equal(launcher_local_size(), 5);
	setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "6", 1);
	assert_int_equal(launcher_local_size(), 6);
}

static void process_alone_below_a_foreign_launcher_is_refused(void **state)
{
	struct error err;
	bool first;

	(void)state;
	setenv("PMI_RANK", "0", 1);
	setenv("PMI_SIZE", "2", 1);
	launcher_note("mpich");
	assert_string_equal(launcher_own_mpi()->title, "MPICH");
	assert_int_equal(launcher_check(1, &first, &err), 0);
	launcher_note("openmpi");
	assert_int_equal(launcher_check(2, &first, &err), 0);
	assert_int_equal(launcher_check(1, &first, &err), -1);
	assert_true(first);
	assert_string_equal(
		err.text,
		"the launcher started 2 processes, but MPI_COMM_WORLD has 1: the program is"
		" linked with Open MPI, mpiexec is MPICH's; start it with Open MPI's (on"
		" Debian mpiexec.openmpi)");
}

static void launchers_have_paths_and_suffixes(void **state)
{
	(void)state;
	assert_true(launch_is_launcher("mpiexec"));
	assert_true(launch_is_launcher("/usr/bin/mpirun.openmpi"));
	assert_true(launch_is_launcher("srun"));
	assert_false(launch_is_launcher("mpiexec.sh"));
	assert_false(launch_is_launcher("mpi"));
}

static void program_follows_the_options_of_a_launcher(void **state)
{
	char mpiexec_n[] = "-n", two[] = "2", folder[] = "/", program[] = "/bin/sh",
	     option[] = "-c";
	char *words[] = {mpiexec_n, two, folder, program, option, NULL},
	     *none[] = {mpiexec_n, two, NULL};

	(void)state;
	assert_ptr_equal(launch_find_program(words), &words[3]);
	assert_null(launch_find_program(none));
}

static void env_may_set_and_remove_the_preload(void **state)
{
	char env[] = "/usr/bin/env", set[] = "LD_PRELOAD=a.so", u[] = "-u",
	     preload[] = "LD_PRELOAD", i[] = "-i", app[] = "app";
	char *sets[] = {env, u, app, set, app, NULL}, *plain[] = {app, set, NULL};
	char *removes[] = {env, u, preload, app, NULL}, *clears[] = {env, i, app, NULL};

	(void)state;
	assert_ptr_equal(launch_find_preload(sets), &sets[3]);
	assert_null(launch_find_preload(plain));
	assert_string_equal(launch_obstacle(removes),
			    "a command that removes LD_PRELOAD from the environment");
	assert_string_equal(launch_obstacle(clears),
			    "a command that clears the environment, and LD_PRELOAD with it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(launcher_is_known_by_its_variables, clear_environment),
		cmocka_unit_test_setup(slurm_starts_open_mpi_by_pmix, clear_environment),
		cmocka_unit_test_setup(launchers_tell_the_processes_of_a_node, clear_environment),
		cmocka_unit_test_setup(process_alone_below_a_foreign_launcher_is_refused,
				       clear_environment),
		cmocka_unit_test(launchers_have_paths_and_suffixes),
		cmocka_unit_test(program_follows_the_options_of_a_launcher),
		cmocka_unit_test(env_may_set_and_remove_the_preload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
