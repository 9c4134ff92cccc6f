/* Node files: what processes counted is there after their end, and any content is read without harm. */
#include "test/unit/lib/node_ranks.h"
#include "test/unit/lib/scratch_folder.h"
#include "trace/call/mpi_functions.h"
#include "usage/log/node_layout.h"
#include "usage/log/node_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct error err;
static struct node_view view;

static const char *only_file(void)
{
	static char path[512];

	assert_int_equal(node_files(path), 1);
	return path;
}

static void read_only_file(void)
{
	if (node_view_read(&view, only_file(), &err) < 0)
		fail_msg("%s", err.text);
}

static uint64_t calls_of(const struct usage_table *table)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i <= table->count; i++)
		calls += table->cells[i].calls;
	return calls;
}

static int clean(void **state)
{
	(void)state;
	scratch_empty();
	return 0;
}

static void calls_of_a_killed_process_are_in_the_file(void **state)
{
	const struct usage_cell *cell;

	(void)state;
	kill_node_rank(start_node_rank(5, 1000, 40));
	read_only_file();
	assert_false(view.alive);
	assert_string_equal(view.log.system, "here");
	assert_string_equal(view.log.program, "/home/you/a/solver");
	assert_null(view.log.user);
	assert_string_equal(view.host, "node7");
	assert_string_equal(view.log_directory, "/logs");
	assert_int_equal(view.log.start_unix_ns, 1700000000000000123);
	assert_int_equal(view.log.nodes, 3);
	assert_int_equal(view.log.level_asked, JOB_MULTIPLE);
	assert_int_equal(view.owner, geteuid());
	assert_int_equal(view.ranks.count, 1);
	assert_int_equal(view.ranks.items[0].rank, 5);
	assert_int_equal(view.ranks.items[0].state, NODE_RUNNING);
	assert_int_equal(view.ranks.items[0].table->count, 40);
	assert_int_equal(calls_of(view.ranks.items[0].table), 1000);
	cell = usage_cell(view.ranks.items[0].table, node_key_of(7));
	assert_int_equal(cell->calls, 25);
	assert_int_equal(cell->bytes, 200);
	assert_int_equal(cell->moved, 400);
	/* 50 ticks of 2 ns. */
	assert_int_equal(cell->ticks, 2500);
	assert_int_equal(cell->least, 100);
	assert_int_equal(cell->most, 100);
	assert_int_equal(view.ranks.items[0].runtime_ns, 999 * 1000);
	node_view_release(&view);
}

static void processes_of_a_job_share_a_file_and_show_who_lives(void **state)
{
	pid_t children[NODE_RANKS];
	int file;

	(void)state;
	for (uint32_t rank = 0; rank < NODE_RANKS; rank++)
		children[rank] = start_node_rank(NODE_RANKS - 1 - rank, 10 + rank, 3);
	kill_node_rank(children[2]);
	read_only_file();
	assert_true(view.alive);
	assert_int_equal(view.ranks.count, NODE_RANKS);
	for (uint32_t rank = 0; rank < NODE_RANKS; rank++) {
		const struct node_rank *it = &view.ranks.items[rank];

		assert_int_equal(it->rank, rank);
		assert_int_equal(it->process, children[NODE_RANKS - 1 - rank]);
		assert_int_equal(it->alive, rank != NODE_RANKS - 3);
		assert_int_equal(calls_of(it->table), 10 + NODE_RANKS - 1 - rank);
	}
	node_view_release(&view);
	assert_int_equal(node_view_claim(only_file(), &err), NODE_IN_USE);
	for (uint32_t rank = 0; rank < NODE_RANKS; rank++)
		if (rank != 2)
			kill_node_rank(children[rank]);
	file = node_view_claim(only_file(), &err);
	assert_true(file >= 0);
	/* Another collector, and a process that comes late, do not get this file. */
	assert_int_equal(node_view_claim(only_file(), &err), NODE_IN_USE);
	kill_node_rank(start_node_rank(0, 1, 1));
	assert_int_equal(node_files((char[512]){0}), 2);
	close(file);
}

static void a_table_grows_with_its_cells(void **state)
{
	struct stat status;
	uint64_t small;

	(void)state;
	kill_node_rank(start_node_rank(0, 40, 40));
	assert_int_equal(stat(only_file(), &status), 0);
	small = (uint64_t)status.st_blocks * 512;
	assert_true(small <= 64 << 10);
	scratch_empty();
	kill_node_rank(start_node_rank(0, 6000, 2000));
	read_only_file();
	assert_int_equal(view.ranks.items[0].table->count, 2000);
	assert_int_equal(view.ranks.items[0].table->overflow, 0);
	assert_int_equal(calls_of(view.ranks.items[0].table), 6000);
	node_view_release(&view);
	assert_int_equal(stat(only_file(), &status), 0);
	assert_true((uint64_t)status.st_blocks * 512 <= small + (264 << 10));
}

/* A limit on the size of files is a full disk that raises a signal, if nobody takes care. */
static void without_room_for_cells_all_calls_are_counted_together(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		struct node_file *node = node_joined(scratch, 0, &err);
		struct rlimit limit;
		struct stat file;

		if (!node || !node_file_thread(node, &err) || stat(only_file(), &file) < 0)
			_exit(3);
		/* The next thread's table fits, and does not grow. */
		limit.rlim_cur = limit.rlim_max = (rlim_t)(1 + 1 + NODE_TABLE_UNITS) * NODE_UNIT +
						  (40 << 10);
		if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
			_exit(4);
		count_node_calls(node, 6000, 2000);
		_exit(node_file_thread(node, &err) ? 5 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	read_only_file();
	assert_int_equal(view.ranks.items[0].threads.count, 2);
	assert_int_equal(calls_of(view.ranks.items[0].table), 6000);
	assert_true(view.ranks.items[0].table->count < 500);
	assert_true(view.ranks.items[0].table->overflow);
	node_view_release(&view);
}

static void what_lies_in_the_way_is_not_touched(void **state)
{
	struct node_file *node = node_joined(scratch, 0, &err);
	char name[512], target[512], path[512];
	struct stat status;
	FILE *file;

	(void)state;
	assert_non_null(node);
	snprintf(name, sizeof name, "%s", only_file());
	snprintf(target, sizeof target, "%s/target", scratch);
	node_file_leave(node, true);
	assert_int_equal(node_files(path), 0);
	for (int kind = 0; kind < 4; kind++) {
		if (kind == 0) {
			assert_non_null(file = fopen(name, "w"));
			fputs("not a node file", file);
			fclose(file);
		} else if (kind == 1)
			assert_int_equal(symlink(target, name), 0);
		else if (kind == 2)
			assert_int_equal(mkfifo(name, 0600), 0);
		else {
			/* One of another job. */
			assert_non_null(file = fopen(name, "w"));
			assert_int_equal(ftruncate(fileno(file), NODE_UNIT), 0);
			fclose(file);
		}
		node = node_joined(scratch, 1, &err);
		if (!node)
			fail_msg("%d: %s", kind, err.text);
		assert_int_equal(node_files((char[512]){0}), 2);
		assert_true(stat(target, &status) < 0);
		node_file_leave(node, true);
		assert_int_equal(unlink(name), 0);
	}
}

static void the_next_directory_is_taken_if_one_cannot_be_used(void **state)
{
	char directories[200];
	struct node_file *node;

	(void)state;
	snprintf(directories, sizeof directories, "/nowhere:/proc:%s", scratch);
	node = node_joined(directories, 0, &err);
	assert_non_null(node);
	only_file();
	node_file_leave(node, true);
	assert_null(node_joined("/nowhere:/proc", 0, &err));
	assert_string_equal(err.text, "/proc: No such file or directory");
}

static void the_child_of_a_fork_leaves_the_file_alone(void **state)
{
	struct node_file *node = node_joined(scratch, 0, &err);
	pid_t child;
	int status;

	(void)state;
	assert_non_null(node);
	child = fork();
	if (child == 0) {
		node_file_state(node, NODE_EXITED);
		node_file_leave(node, true);
		_exit(node_file_thread(node, &err) != NULL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	read_only_file();
	assert_true(view.alive);
	assert_int_equal(view.ranks.items[0].state, NODE_RUNNING);
	assert_int_equal(view.ranks.items[0].threads.count, 0);
	node_view_release(&view);
	node_file_leave(node, true);
}

static void children_do_not_keep_the_lock(void **state)
{
	int ends[2];
	char byte;
	pid_t child, grandchild, parent;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		if (!node_joined(scratch, 0, &err))
			_exit(2);
		grandchild = fork();
		if (grandchild == 0) {
			if (write(ends[1], &(pid_t){getpid()}, sizeof(pid_t)) < 0)
				_exit(3);
			for (;;)
				pause();
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(read(ends[0], &parent, sizeof parent), sizeof parent);
	read_only_file();
	assert_false(view.alive);
	node_view_release(&view);
	kill(parent, SIGKILL);
	close(ends[1]);
	/* Nothing comes any more. */
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

static void *thread_of(void *node)
{
	struct error own;

	return node_file_thread(node, &own);
}

static void threads_have_tables_of_their_own(void **state)
{
	enum { THREADS = 8 };
	struct node_file *node = node_joined(scratch, 0, &err);
	pthread_t threads[THREADS];
	struct node_thread *tables[THREADS];

	(void)state;
	assert_non_null(node);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, thread_of, node), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], (void **)&tables[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_non_null(tables[i]);
		for (int k = 0; k < i; k++)
			assert_ptr_not_equal(tables[k], tables[i]);
		usage_add(node_file_cell(node, tables[i], node_key_of(3)), 1, 0, 1, 0);
	}
	read_only_file();
	assert_int_equal(view.ranks.items[0].threads.count, THREADS);
	assert_int_equal(usage_cell(view.ranks.items[0].table, node_key_of(3))->calls, THREADS);
	node_view_release(&view);
	node_file_leave(node, true);
	/* A thread may be in a call. */
	usage_add(node_file_cell(node, tables[0], node_key_of(4)), 1, 0, 1, 0);
}

static void processes_that_come_at_once_make_one_file(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		pid_t children[NODE_RANKS];
		int go[2];

		assert_int_equal(pipe(go), 0);
		for (uint32_t rank = 0; rank < NODE_RANKS; rank++) {
			children[rank] = fork();
			if (children[rank] == 0) {
				char byte;

				close(go[1]);
				if (read(go[0], &byte, 1) < 0)
					_exit(1);
				_exit(!node_joined(scratch, rank, &err));
			}
		}
		close(go[1]);
		close(go[0]);
		for (uint32_t rank = 0; rank < NODE_RANKS; rank++) {
			int status;

			assert_int_equal(waitpid(children[rank], &status, 0), children[rank]);
			assert_int_equal(status, 0);
		}
		read_only_file();
		assert_int_equal(view.ranks.count, NODE_RANKS);
		node_view_release(&view);
		scratch_empty();
	}
}

/* ------------------------------------------------------------- any content */

static unsigned char *content;
static size_t content_bytes;

static void load(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat status;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	content_bytes = (size_t)status.st_size;
	content = malloc(content_bytes);
	assert_int_equal(fread(content, 1, content_bytes, file), content_bytes);
	fclose(file);
}

/* Write what has been loaded with some values changed, or cut. */
static void damage(const char *path)
{
	static const uint32_t values[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, NODE_UNIT};
	unsigned char *copy = malloc(content_bytes);
	const size_t length = rand() % 8 ? content_bytes : (size_t)rand() % content_bytes;
	FILE *file = fopen(path, "wb");

	memcpy(copy, content, content_bytes);
	for (int changes = 1 + rand() % 4; changes > 0; changes--) {
		/* Where there is something: the header, a slot, a head of a table, its first cells. */
		const size_t parts[] = {0, 60, NODE_UNIT, 2 * NODE_UNIT,
					2 * NODE_UNIT + offsetof(struct node_thread, table.cells)};
		const size_t at = parts[rand() % 5] + (size_t)(rand() % 60) * 4;
		const uint32_t value = rand() % 2 ? values[rand() % 7] : (uint32_t)rand();

		memcpy(copy + at, &value, sizeof value);
	}
	assert_non_null(file);
	assert_int_equal(fwrite(copy, 1, length, file), length);
	fclose(file);
	free(copy);
}

static void any_damage_is_read_without_harm(void **state)
{
	const int rounds = getenv("PROGRAMS") ? atoi(getenv("PROGRAMS")) : 2000;
	char path[512];
	int whole = 0;

	(void)state;
	kill_node_rank(start_node_rank(3, 500, 60));
	snprintf(path, sizeof path, "%s", only_file());
	load(path);
	srand(7);
	for (int i = 0; i < rounds; i++) {
		damage(path);
		if (node_view_read(&view, path, &err) < 0) {
			assert_int_equal(err.status, STATUS_DATA);
			assert_true(strncmp(err.text, path, strlen(path)) == 0);
			continue;
		}
		whole++;
		for (size_t k = 0; k < view.ranks.count; k++)
			assert_true(view.ranks.items[k].rank < view.log.ranks);
		node_view_release(&view);
	}
	/* Both happened. */
	assert_true(whole > rounds / 10 && whole < rounds - rounds / 200);
	free(content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(calls_of_a_killed_process_are_in_the_file, clean),
		cmocka_unit_test_teardown(processes_of_a_job_share_a_file_and_show_who_lives,
					  clean),
		cmocka_unit_test_teardown(a_table_grows_with_its_cells, clean),
		cmocka_unit_test_teardown(without_room_for_cells_all_calls_are_counted_together,
					  clean),
		cmocka_unit_test_teardown(what_lies_in_the_way_is_not_touched, clean),
		cmocka_unit_test_teardown(the_next_directory_is_taken_if_one_cannot_be_used, clean),
		cmocka_unit_test_teardown(the_child_of_a_fork_leaves_the_file_alone, clean),
		cmocka_unit_test_teardown(children_do_not_keep_the_lock, clean),
		cmocka_unit_test_teardown(threads_have_tables_of_their_own, clean),
		cmocka_unit_test_teardown(processes_that_come_at_once_make_one_file, clean),
		cmocka_unit_test_teardown(any_damage_is_read_without_harm, clean),
	};

	return cmocka_run_group_tests_name("usage/log/node_file.h", tests, scratch_make,
					   scratch_remove);
}
