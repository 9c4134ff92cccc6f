/* The file of a log: what is at its path already. */
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "usage/log/log_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct error err;
static char path[128];

static const char *file_named(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", scratch, name);
	return path;
}

static void write_log(void)
{
	const struct job_log log = {.ranks = 2};

	MUST(log_file_write_to(&log, path, &err));
}

static void a_file_is_replaced(void **state)
{
	struct job_log log;
	struct stat status;
	FILE *const file = fopen(file_named("log.usage"), "w");

	(void)state;
	assert_non_null(file);
	fputs("before", file);
	fclose(file);
	write_log();
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0400);
	MUST(job_log_read(&log, path, &err));
	assert_int_equal(log.ranks, 2);
	job_log_release(&log);
}

static void a_pipe_is_written_to_and_stays(void **state)
{
	static char bytes[1 << 14];
	struct stat before, after;
	struct job_log log;
	ssize_t count;
	int reader;

	(void)state;
	assert_int_equal(mkfifo(file_named("pipe"), 0620), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(stat(path, &before), 0);
	write_log();
	assert_int_equal(stat(path, &after), 0);
	assert_true(S_ISFIFO(after.st_mode) && after.st_ino == before.st_ino);
	assert_int_equal(after.st_mode, before.st_mode);
	count = read(reader, bytes, sizeof bytes);
	assert_true(count > 0);
	MUST(job_log_parse(&log, "pipe", bytes, (size_t)count, &err));
	assert_int_equal(log.ranks, 2);
	job_log_release(&log);
	close(reader);
}

static void a_pipe_that_nobody_reads_is_an_error(void **state)
{
	const struct job_log log = {.ranks = 2};

	(void)state;
	assert_int_equal(mkfifo(file_named("unread"), 0600), 0);
	assert_int_equal(log_file_write_to(&log, path, &err), -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	assert_non_null(strstr(err.text, path));
}

static void a_full_device_is_an_error(void **state)
{
	const struct job_log log = {.ranks = 2};

	(void)state;
	if (access("/dev/full", W_OK) < 0)
		skip();
	assert_int_equal(log_file_write_to(&log, "/dev/full", &err), -1);
	assert_non_null(strstr(err.text, "No space left on device"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced),
		cmocka_unit_test(a_pipe_is_written_to_and_stays),
		cmocka_unit_test(a_pipe_that_nobody_reads_is_an_error),
		cmocka_unit_test(a_full_device_is_an_error),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
