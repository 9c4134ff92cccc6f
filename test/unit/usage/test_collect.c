/* Collecting: node files of dead processes become logs, whoever collects, and how often. */
#include "test/unit/lib/must.h"
#include "test/unit/lib/node_ranks.h"
#include "test/unit/lib/scratch_folder.h"
#include "usage/log/collect.h"
#include "usage/log/node_layout.h"
#include "usage/log/node_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct error err;
static struct collection collection;
static char logs[64];
static struct collect_options options = {.logs = logs};

static int set_up(void **state)
{
	(void)state;
	strcpy(logs, "/tmp/test-logs-XXXXXX");
	return mkdtemp(logs) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	scratch_empty();
	snprintf(command, sizeof command, "rm -rf %s", logs);
	return system(command);
}

static void collect_now(void)
{
	collection_release(&collection);
	collection = (struct collection){0};
	MUST(collect(&collection, scratch, &options, &err));
}

/* Number of files below the directory of logs, and the path of one. */
static int log_files(char path[static 512])
{
	char command[160];
	FILE *found;
	int count = 0;

	snprintf(command, sizeof command, "find %s -type f", logs);
	found = popen(command, "r");
	for (char line[512]; fgets(line, sizeof line, found); count++)
		snprintf(path, 512, "%.*s", (int)strcspn(line, "\n"), line);
	pclose(found);
	return count;
}

static struct job_log read_log(void)
{
	struct job_log log = {0};
	char path[512];

	assert_int_equal(log_files(path), 1);
	MUST(job_log_read(&log, path, &err));
	return log;
}

static uint64_t calls_of(const struct job_log *log)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < log->cells.count; i++)
		calls += log->cells.items[i].cell.calls;
	return calls;
}

static uint64_t time_of(const struct job_log *log)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < log->cells.count; i++)
		ns += log->cells.items[i].cell.ticks;
	return ns;
}

static void killed_ranks_of_a_node_become_a_log(void **state)
{
	struct job_log log;
	struct stat status;
	char path[512];

	(void)state;
	for (uint32_t rank = 2; rank < 6; rank++)
		kill_node_rank(start_node_rank(rank, 100 * (rank + 1), 7));
	collect_now();
	assert_int_equal(collection.logs, 1);
	assert_int_equal(collection.problems + collection.in_use, 0);
	assert_int_equal(node_files(path), 0);
	log = read_log();
	assert_int_equal(log.end, JOB_KILLED);
	assert_string_equal(log.job, "4711");
	assert_string_equal(log.program, "/home/you/a/solver");
	assert_int_equal(log.ranks, NODE_RANKS);
	assert_int_equal(log.ranks_seen, 4);
	assert_int_equal(log.nodes, 3);
	assert_int_equal(log.nodes_seen, 1);
	assert_int_equal(calls_of(&log), 300 + 400 + 500 + 600);
	assert_int_equal(log.cells.count, 7);
	/* The last call of the rank with most calls began 599 x 500 ticks of 2 ns after MPI_Init. */
	assert_int_equal(log.mpi_ns, 599 * 1000);
	assert_int_equal(log.process_ns, 599 * 1000 + 77);
	assert_int_equal(time_of(&log), 1800 * 100);
	assert_string_equal(log.rank_list.items[0].host, "node7");
	job_log_release(&log);
	log_files(path);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0400);
	assert_true(strstr(path, "/2023/11/14/4711.0-20231114T221320-") != NULL);
}

static void the_file_of_a_living_rank_is_left_alone(void **state)
{
	const pid_t child = start_node_rank(0, 10, 1);
	char path[512];

	(void)state;
	kill_node_rank(start_node_rank(1, 20, 1));
	collect_now();
	assert_int_equal(collection.in_use, 1);
	assert_int_equal(collection.logs, 0);
	assert_int_equal(log_files(path), 0);
	assert_int_equal(node_files(path), 1);
	kill_node_rank(child);
	collect_now();
	assert_int_equal(collection.logs, 1);
	assert_int_equal(log_files(path), 1);
}

static void a_job_that_exits_without_the_end_of_mpi_says_so(void **state)
{
	const pid_t child = fork();
	struct job_log log;

	(void)state;
	if (child == 0) {
		struct node_file *node = node_joined(scratch, 0, &err);

		count_node_calls(node, 10, 1);
		node_file_state(node, NODE_EXITED);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	collect_now();
	log = read_log();
	assert_int_equal(log.end, JOB_EXITED);
	job_log_release(&log);
}

/* One that is killed after the log is there and before the node file is removed makes no second log. */
static void collecting_again_makes_the_same_log(void **state)
{
	char path[512], copy[600], command[1300], first[512];

	(void)state;
	kill_node_rank(start_node_rank(3, 50, 2));
	assert_int_equal(node_files(path), 1);
	snprintf(copy, sizeof copy, "%s.copy", path);
	snprintf(command, sizeof command, "cp --sparse=always '%s' '%s'", path, copy);
	assert_int_equal(system(command), 0);
	collect_now();
	assert_int_equal(log_files(first), 1);
	assert_int_equal(rename(copy, path), 0);
	collect_now();
	assert_int_equal(collection.logs, 1);
	assert_int_equal(log_files(path), 1);
	assert_string_equal(path, first);
	collect_now();
	assert_int_equal(collection.files.count, 0);
}

static void many_collectors_at_once_make_each_log_once(void **state)
{
	enum { COLLECTORS = 8, ROUNDS = 20 };
	char path[512];

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		pid_t children[COLLECTORS];
		int go[2], logs_made = 0;

		kill_node_rank(start_node_rank(0, 10, 1));
		assert_int_equal(pipe(go), 0);
		for (int i = 0; i < COLLECTORS; i++) {
			children[i] = fork();
			if (children[i] == 0) {
				struct collection own = {0};
				char byte;

				close(go[1]);
				if (read(go[0], &byte, 1) < 0 ||
				    collect(&own, scratch, &options, &err) < 0 || own.problems)
					_exit(100);
				_exit((int)own.logs);
			}
		}
		close(go[1]);
		close(go[0]);
		for (int i = 0; i < COLLECTORS; i++) {
			int status;

			assert_int_equal(waitpid(children[i], &status, 0), children[i]);
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
			logs_made += WEXITSTATUS(status);
		}
		assert_int_equal(logs_made, 1);
		assert_int_equal(node_files(path), 0);
		assert_int_equal(log_files(path), 1);
	}
}

static void without_a_place_for_the_log_the_node_file_stays(void **state)
{
	char path[512], link[600];

	(void)state;
	kill_node_rank(start_node_rank(0, 10, 1));
	options.logs = "/nowhere";
	collect_now();
	options.logs = logs;
	assert_int_equal(collection.problems, 1);
	assert_string_equal(collection.files.items[0].problem,
			    "there is no directory of logs /nowhere: No such file or directory");
	assert_int_equal(node_files(path), 1);
	/* A link that another user has put in place of a folder. */
	snprintf(link, sizeof link, "%s/2023", logs);
	assert_int_equal(symlink(scratch, link), 0);
	collect_now();
	assert_int_equal(collection.problems, 1);
	assert_int_equal(node_files(path), 1);
	assert_int_equal(unlink(link), 0);
	collect_now();
	assert_int_equal(collection.logs, 1);
}

/* As a site has it: users do not see the logs of others, and cannot remove them. */
static void a_directory_that_cannot_be_listed_is_enough(void **state)
{
	enum { NOBODY = 65534 };
	struct stat status;
	char path[512];
	pid_t child;
	int end;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(logs, 01733), 0);
	assert_int_equal(chmod(scratch, 01777), 0);
	child = fork();
	if (child == 0) {
		struct collection own = {0};

		if (setresuid(NOBODY, NOBODY, NOBODY) < 0)
			_exit(9);
		kill_node_rank(start_node_rank(0, 10, 1));
		_exit(collect(&own, scratch, &options, &err) < 0 || own.logs != 1);
	}
	assert_int_equal(waitpid(child, &end, 0), child);
	assert_int_equal(end, 0);
	assert_int_equal(log_files(path), 1);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_uid, NOBODY);
	*strrchr(path, '/') = 0;
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 01733);
	/* What root collects belongs to the user, too. */
	child = fork();
	if (child == 0) {
		if (setresuid(NOBODY, NOBODY, NOBODY) < 0)
			_exit(9);
		kill_node_rank(start_node_rank(1, 10, 1));
		_exit(0);
	}
	assert_int_equal(waitpid(child, &end, 0), child);
	collect_now();
	assert_int_equal(collection.logs, 1);
	assert_int_equal(stat(strcat(strcat(strcpy(path, logs), "/"), collection.files.items[0].log),
			      &status), 0);
	assert_int_equal(status.st_uid, NOBODY);
}

static void what_is_no_node_file_is_a_problem_of_its_own(void **state)
{
	char path[512], bad[600];
	FILE *file;

	(void)state;
	kill_node_rank(start_node_rank(0, 10, 1));
	node_files(path);
	snprintf(bad, sizeof bad, "%s/llamp-usage-a.node", scratch);
	file = fopen(bad, "w");
	fputs("nothing\n", file);
	fclose(file);
	collect_now();
	assert_int_equal(collection.logs, 1);
	assert_int_equal(collection.problems, 1);
	assert_int_equal(access(bad, F_OK), 0);
	assert_true(access(path, F_OK) < 0);
}

/* The first process makes the file, then takes its place in it: another job may collect in between. */
static void a_file_that_has_just_been_made_is_left_alone(void **state)
{
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	const uint32_t none = 0;
	char path[512];
	struct job_log log;
	int file;

	(void)state;
	kill_node_rank(start_node_rank(0, 10, 1));
	assert_int_equal(node_files(path), 1);
	file = open(path, O_RDWR);
	assert_int_equal(pwrite(file, &none, sizeof none, offsetof(struct node_header, slots)),
			 sizeof none);
	close(file);
	collect_now();
	assert_int_equal(collection.in_use, 1);
	assert_int_equal(collection.logs, 0);
	assert_int_equal(node_files(path), 1);
	/* It has died there. */
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	collect_now();
	assert_int_equal(collection.logs, 1);
	log = read_log();
	assert_int_equal(log.ranks_seen, 0);
	job_log_release(&log);
}

static void files_of_jobs_with_another_directory_can_be_left(void **state)
{
	char path[512];

	(void)state;
	kill_node_rank(start_node_rank(0, 10, 1));
	options.same = true;
	collect_now();
	assert_int_equal(collection.files.count, 1);
	assert_int_equal(collection.logs + collection.in_use + collection.problems, 0);
	assert_int_equal(node_files(path), 1);
	/* The one that it names does not exist. */
	options.logs = "/logs";
	collect_now();
	options.logs = logs;
	options.same = false;
	assert_int_equal(collection.problems, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(killed_ranks_of_a_node_become_a_log, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_file_of_a_living_rank_is_left_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_job_that_exits_without_the_end_of_mpi_says_so,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(collecting_again_makes_the_same_log, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_collectors_at_once_make_each_log_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(without_a_place_for_the_log_the_node_file_stays, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_directory_that_cannot_be_listed_is_enough, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_node_file_is_a_problem_of_its_own, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_file_that_has_just_been_made_is_left_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(files_of_jobs_with_another_directory_can_be_left,
						set_up, tear_down),
	};
	const int failed = cmocka_run_group_tests_name("usage/log/collect.h", tests, scratch_make,
						       scratch_remove);

	collection_release(&collection);
	return failed;
}
