#include "test/unit/lib/node_ranks.h"

#include "common/machine/now.h"
#include "test/unit/lib/scratch_folder.h"
#include "trace/call/mpi_functions.h"
#include "usage/log/node_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICKS_PER_S = 500000000 };

struct node_file *node_joined(const char *directories, uint32_t rank, struct error *err)
{
	char system[] = "here", job_id[] = "4711", step[] = "0", program[] = "/home/you/a/solver";
	const struct job_log log = {.system = system,
				    .job = job_id,
				    .step = step,
				    .program = program,
				    .start_unix_ns = 1700000000000000123,
				    .ranks = NODE_RANKS,
				    .nodes = 3,
				    .level_asked = JOB_MULTIPLE};
	const struct node_job job = {.log = &log,
				     .host = "node7",
				     .log_directory = "/logs",
				     .rank = rank,
				     .begin_ticks = 1000,
				     .ticks_per_s = TICKS_PER_S,
				     .begin_ns = now_ns(),
				     .before_ns = 77};
	struct node_file *node = NULL;

	return node_file_join(&node, directories, &job, err) < 0 ? NULL : node;
}

struct usage_key node_key_of(unsigned number)
{
	return (struct usage_key){.function = (uint16_t)(number % 50),
				  .size_class = (uint8_t)(number / 50)};
}

void count_node_calls(struct node_file *node, unsigned calls, unsigned keys)
{
	struct error err;
	struct node_thread *thread = node_file_thread(node, &err);

	if (!thread)
		_exit(9);
	for (unsigned i = 0; i < calls; i++) {
		thread->inside = 1 + CALL_Send;
		thread->stamp_ticks = 1000 + i * 500;
		usage_add(node_file_cell(node, thread, node_key_of(i % keys)), 8, 16, 50, 0);
		thread->inside = 0;
	}
}

pid_t start_node_rank(uint32_t rank, unsigned calls, unsigned keys)
{
	int ends[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct error err;
		struct node_file *node = node_joined(scratch, rank, &err);

		if (!node)
			_exit(8);
		count_node_calls(node, calls, keys);
		if (write(ends[1], "", 1) != 1)
			_exit(7);
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return child;
}

void kill_node_rank(pid_t child)
{
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

int node_files(char path[static 512])
{
	DIR *directory = opendir(scratch);
	int files = 0;

	for (struct dirent *entry; (entry = readdir(directory));)
		if (node_is_name(entry->d_name, true)) {
			snprintf(path, 512, "%s/%s", scratch, entry->d_name);
			files++;
		}
	closedir(directory);
	return files;
}
