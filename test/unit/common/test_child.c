/* Children that end with their process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/child.h"
#include "common/output.h"

enum { ROUNDS = 30, THREADS = 2, END_MS = 40000 };

static int run_shell(const char *text)
{
	char *const words[] = {(char *)"sh", (char *)"-c", (char *)text, NULL};
	pid_t process;

	assert_int_equal(child_start(&process, "/bin/sh", words, STDOUT_FILENO, STDERR_FILENO), 0);
	return child_wait(process);
}

static void the_exit_status_of_a_child_is_known(void **state)
{
	(void)state;
	assert_int_equal(run_shell("exit 0"), 0);
	assert_int_equal(run_shell("exit 3"), 3);
	assert_int_equal(run_shell("kill -KILL $$"), -1);
}

static void a_program_that_is_missing_is_an_error(void **state)
{
	char *const words[] = {(char *)"nothing", NULL};
	pid_t process;

	(void)state;
	assert_int_equal(child_start(&process, "/nowhere/nothing", words, STDOUT_FILENO,
				     STDERR_FILENO),
			 ENOENT);
}

/* Start children until there is no room for more, and live on. */
static void *start_children(void *data)
{
	char *const words[] = {(char *)"sleep", (char *)"60", NULL};
	const int output = *(const int *)data;
	pid_t process;

	while (child_start(&process, "/bin/sleep", words, output, output) == 0)
		;
	for (;;)
		pause();
	return NULL;
}

/* In a process of its own: start children in several threads at once.  The pipe tells that it begins. */
static void start_without_end(int pipe)
{
	pthread_t threads[THREADS];
	struct error err;
	char *folder;

	signal(SIGTERM, SIG_DFL);
	if (output_folder(&folder, "test-child", &err) < 0 || write(pipe, "b", 1) != 1)
		_exit(1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, start_children, &pipe) != 0)
			_exit(1);
	for (;;)
		pause();
}

/* End the process after a while; its children, which hold the pipe, end as well. */
static void end_process(unsigned delay_us)
{
	struct pollfd poll_end;
	int ends[2], status;
	char byte;
	pid_t process;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	process = fork();
	assert_true(process >= 0);
	if (process == 0)
		start_without_end(ends[1]);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	usleep(delay_us);
	assert_int_equal(kill(process, SIGTERM), 0);
	assert_int_equal(waitpid(process, &status, 0), process);
	assert_true(WIFSIGNALED(status));
	poll_end = (struct pollfd){.fd = ends[0], .events = POLLIN};
	assert_int_equal(poll(&poll_end, 1, END_MS), 1);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

static void a_signal_ends_children_also_while_they_are_started(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++)
		end_process(round * 211);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_exit_status_of_a_child_is_known),
		cmocka_unit_test(a_program_that_is_missing_is_an_error),
		cmocka_unit_test(a_signal_ends_children_also_while_they_are_started),
	};

	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
