/* Errors, arrays, units, options, input and output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "common/input.h"
#include "common/options.h"
#include "common/output.h"
#include "common/units.h"

static char folder[] = "/tmp/test-common-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return chdir("/") == 0 ? rmdir(folder) : -1;
}

/* The number of files in the folder. */
static int file_count(void)
{
	DIR *directory = opendir(".");
	struct dirent *entry;
	int files = 0;

	assert_non_null(directory);
	while ((entry = readdir(directory)) != NULL)
		files += entry->d_name[0] != '.';
	closedir(directory);
	return files;
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void assert_file_holds(const char *path, const char *text)
{
	struct input input;
	struct error err;

	assert_int_equal(input_open(&input, path, &err), 0);
	assert_int_equal(input.count, strlen(text));
	assert_memory_equal(input.bytes, text, input.count);
	input_release(&input);
}

/* -------------------------------------------------------------------- errors */

static void errors_keep_status_and_text(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(error_set(&err, STATUS_LIMIT, "%d is %s", 5, "too much"), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_string_equal(err.text, "5 is too much");
	assert_int_equal(error_prefix(&err, "file:%d", 7), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_string_equal(err.text, "file:7: 5 is too much");
	errno = ENOENT;
	assert_int_equal(error_set_errno(&err, "file %s", "x"), -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	assert_string_equal(err.text, "file x: No such file or directory");
	assert_int_equal(error_set_memory(&err, 12), -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	assert_string_equal(err.text, "out of memory: 12 bytes are needed");
}

static void long_errors_are_cut(void **state)
{
	struct error err;
	char text[3000];

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	error_set(&err, STATUS_DATA, "%s", text);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	error_prefix(&err, "%s", "here");
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	assert_memory_equal(err.text, "here: xxx", 9);
	error_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	errno = EIO;
	error_set_errno(&err, "%s", text);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

/* -------------------------------------------------------------------- arrays */

static void arrays_keep_pushed_items(void **state)
{
	ARRAY(uint32_t) numbers = {0};
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(array_push(&numbers, i * 3, &err), 0);
	assert_int_equal(numbers.count, 100000);
	assert_in_range(numbers.capacity, 100000, 200000);
	for (uint32_t i = 0; i < numbers.count; i++)
		assert_int_equal(numbers.items[i], i * 3);
	array_release(&numbers);
	assert_null(numbers.items);
	assert_int_equal(numbers.capacity, 0);
}

static void impossible_sizes_are_errors_of_the_system(void **state)
{
	ARRAY(uint64_t) numbers = {0};
	struct error err = {0};
	void *block;

	(void)state;
	assert_int_equal(array_push(&numbers, 1, &err), 0);
	assert_int_equal(array_reserve(&numbers, SIZE_MAX, &err), -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	assert_int_equal(array_reserve(&numbers, SIZE_MAX / 8, &err), -1);
	assert_int_equal(numbers.count, 1);
	assert_int_equal(numbers.items[0], 1);
	array_release(&numbers);
	assert_int_equal(allocate(&block, SIZE_MAX, 8, &err), -1);
	assert_int_equal(allocate(&block, 0, 8, &err), 0);
	assert_non_null(block);
	free(block);
}

/* --------------------------------------------------------------------- units */

static void assert_time(const char *text, int64_t expected)
{
	struct error err = {0};
	int64_t as = -1;

	if (parse_time_as(text, &as, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(as, expected);
}

static void times_are_exact(void **state)
{
	(void)state;
	assert_time("0", 0);
	assert_time("3us", 3000 * AS_PER_NS);
	assert_time("3", 3 * AS_PER_NS);
	assert_time("0.5", AS_PER_NS / 2);
	assert_time(".25 ns", AS_PER_NS / 4);
	assert_time("1.4e3ns", 1400 * AS_PER_NS);
	assert_time(" 6.03us ", 6030 * AS_PER_NS);
	assert_time("2\xc2\xb5s", 2000 * AS_PER_NS);
	assert_time("9.2s", INT64_C(9200000000) * AS_PER_NS);
	assert_time("0.0000000004ns", 0);
	assert_time("0.0000000006ns", 1);
}

static void assert_no_time(const char *text)
{
	struct error err = {0};
	int64_t as;

	if (parse_time_as(text, &as, &err) == 0)
		fail_msg("accepted as a time: '%s'", text);
	assert_int_equal(err.status, STATUS_USAGE);
	assert_non_null(strstr(err.text, text));
}

static void texts_other_than_times_are_refused(void **state)
{
	static const char *const wrong[] = {
		"us",
		"-1",
		"+1",
		"1 2",
		"3 hours",
		"3uss",
		"3u",
		"0x10",
		"0x1p3ns",
		"nan",
		"inf",
		"1e",
		".",
		"1e400",
		"1,5",
		"9.3s",
		"9223372036.854775808s",
		"3 n s",
		"3Us",
	};

	(void)state;
	assert_no_time("");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_no_time(wrong[i]);
}

static void assert_bytes(const char *text, uint64_t expected)
{
	struct error err = {0};
	uint64_t bytes = 1;

	if (parse_bytes(text, &bytes, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(bytes, expected);
}

static void sizes_have_decimal_and_binary_units(void **state)
{
	static const char *const wrong[] = {"-1",  "1.5", "0.3KiB", "18446744073709551616",
					    "1TB", "b",	  "1Kib"};
	struct error err;
	uint64_t bytes;

	(void)state;
	assert_bytes("0", 0);
	assert_bytes("12B", 12);
	assert_bytes("256 KB", 256000);
	assert_bytes("256kB", 256000);
	assert_bytes("256KiB", 262144);
	assert_bytes("1.5KiB", 1536);
	assert_bytes("2MB", 2000000);
	assert_bytes("2MiB", 2097152);
	assert_bytes("1GB", 1000000000);
	assert_bytes("1GiB", 1073741824);
	assert_bytes("18446744073709551615", UINT64_MAX);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(parse_bytes(wrong[i], &bytes, &err), -1);
		assert_int_equal(err.status, STATUS_USAGE);
	}
}

static void assert_gap(const char *text, int64_t expected)
{
	struct error err = {0};
	int64_t as = -1;

	if (parse_gap_per_byte_as(text, &as, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(as, expected);
}

static void gaps_are_times_or_bandwidths(void **state)
{
	static const char *const wrong[] = {"",	      "0GB/s",	"7GB",	 "7 GB / s",
					    "-7GB/s", "56Gbit", "0.1B/s"};
	struct error err;
	int64_t as;

	(void)state;
	assert_gap("0", 0);
	assert_gap("0.018", 18000000);
	assert_gap("0.018ns", 18000000);
	assert_gap("0.013 ns", 13000000);
	assert_gap("8Gbit/s", AS_PER_NS);
	assert_gap("1GB/s", AS_PER_NS);
	assert_gap("56Gbit/s", 142857143);
	assert_gap("56Gbps", 142857143);
	assert_gap("0.018ns/B", 18000000);
	assert_gap("0.018 ns/B", 18000000);
	assert_gap("2us/B", 2000 * AS_PER_NS);
	assert_gap("7GB/s", 142857143);
	assert_gap("1 KiB/s", INT64_C(976562500000000));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(parse_gap_per_byte_as(wrong[i], &as, &err), -1);
		assert_int_equal(err.status, STATUS_USAGE);
	}
}

static void counts_and_numbers_are_checked(void **state)
{
	static const char *const wrong[] = {"",	  "4",	 "21",
					    "-5", "+5",	 " 5",
					    "5x", "5.0", "99999999999999999999999"};
	static const char *const no_numbers[] = {"", "x", "1x", "nan", "inf", "1e999"};
	struct error err;
	uint64_t count;
	double number;

	(void)state;
	assert_int_equal(parse_count("5", 5, 20, &count, &err), 0);
	assert_int_equal(count, 5);
	assert_int_equal(parse_count("20", 5, 20, &count, &err), 0);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(parse_count(wrong[i], 5, 20, &count, &err), -1);
	assert_int_equal(parse_number("-2.5e1", &number, &err), 0);
	assert_true(number == -25);
	for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++)
		assert_int_equal(parse_number(no_numbers[i], &number, &err), -1);
}

static void numbers_for_people_have_fitting_units(void **state)
{
	char text[UNIT_TEXT_BYTES];

	(void)state;
	assert_string_equal(format_time(0, 4, text), "0 ns");
	assert_string_equal(format_time(3000, 4, text), "3 us");
	assert_string_equal(format_time(12384000, 4, text), "12.38 ms");
	assert_string_equal(format_time(-2e9, 4, text), "-2 s");
	assert_string_equal(format_number(87377505, 7, text), "87377505");
	assert_string_equal(format_number(12345678901234, 7, text), "12345678901234");
	assert_string_equal(format_number(123.4, 2, text), "123");
	assert_string_equal(format_number(-9999.7, 4, text), "-10000");
	assert_string_equal(format_number(99.96, 3, text), "100");
	assert_string_equal(format_number(12.345678, 3, text), "12.3");
	assert_string_equal(format_number(1e18, 7, text), "1e+18");
	assert_string_equal(format_bytes(81, text), "81 B");
	assert_string_equal(format_bytes(1.5 * 1048576, text), "1.5 MiB");
}

/* ------------------------------------------------------------ input and output */

static void files_and_pipes_are_read_whole(void **state)
{
	struct input input;
	struct error err;
	int pipes[2], saved;

	(void)state;
	write_file("file", "hello");
	assert_file_holds("file", "hello");
	write_file("file", "");
	assert_file_holds("file", "");
	assert_int_equal(unlink("file"), 0);

	saved = dup(STDIN_FILENO);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], "piped", 5), 5);
	close(pipes[1]);
	assert_int_equal(dup2(pipes[0], STDIN_FILENO), STDIN_FILENO);
	close(pipes[0]);
	assert_int_equal(input_open(&input, "-", &err), 0);
	assert_int_equal(input.count, 5);
	assert_memory_equal(input.bytes, "piped", 5);
	input_release(&input);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

static void files_that_cannot_be_read_are_named(void **state)
{
	struct input input;
	struct error err = {0};

	(void)state;
	assert_int_equal(input_open(&input, "absent", &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_string_equal(err.text, "absent: cannot be opened: No such file or directory");
	assert_int_equal(input_open(&input, "/", &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_string_equal(err.text, "/: is a directory");
}

static void output_appears_only_when_it_is_whole(void **state)
{
	struct output output;
	struct error err;

	(void)state;
	assert_int_equal(output_open(&output, "file", &err), 0);
	fputs("whole", output.stream);
	fflush(output.stream);
	assert_int_equal(access("file", F_OK), -1);
	assert_int_equal(output_commit(&output, &err), 0);
	assert_file_holds("file", "whole");
	assert_int_equal(output_open(&output, "file", &err), 0);
	fputs("half", output.stream);
	output_discard(&output);
	assert_file_holds("file", "whole");
	assert_int_equal(file_count(), 1);
	assert_int_equal(unlink("file"), 0);
}

static void output_has_the_permissions_of_a_new_file(void **state)
{
	struct output output;
	struct error err;
	struct stat status;
	mode_t mask = umask(027);

	(void)state;
	assert_int_equal(output_open(&output, "file", &err), 0);
	assert_int_equal(output_commit(&output, &err), 0);
	umask(mask);
	assert_int_equal(stat("file", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_int_equal(unlink("file"), 0);
}

static void output_through_a_link_replaces_its_target(void **state)
{
	struct output output;
	struct error err;
	struct stat status;

	(void)state;
	write_file("file", "old");
	assert_int_equal(symlink("file", "link"), 0);
	assert_int_equal(output_open(&output, "link", &err), 0);
	fputs("new", output.stream);
	assert_int_equal(output_commit(&output, &err), 0);
	assert_file_holds("file", "new");
	assert_int_equal(lstat("link", &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(unlink("link"), 0);
	assert_int_equal(unlink("file"), 0);
}

static void files_that_cannot_be_written_are_named(void **state)
{
	struct output output;
	struct error err = {0};

	(void)state;
	assert_int_equal(output_open(&output, "absent/file", &err), -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	assert_string_equal(err.text, "absent/file: cannot be written: No such file or directory");
	assert_int_equal(output_open(&output, "", &err), -1);
	assert_int_equal(err.status, STATUS_USAGE);
	assert_int_equal(output_open(&output, "/", &err), -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	assert_int_equal(file_count(), 0);
}

static void a_signal_leaves_no_file_behind(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		pid_t child = fork();
		int status;

		assert_true(child >= 0);
		if (child == 0) {
			const struct rlimit no_core = {0, 0};
			struct output output;
			struct error err;

			signal(signals[i], SIG_DFL);
			if (setrlimit(RLIMIT_CORE, &no_core) == 0 &&
			    output_open(&output, "file", &err) == 0)
				raise(signals[i]);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_int_equal(file_count(), 0);
	}
}

static void a_limit_on_the_size_of_files_is_an_error(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		const struct rlimit limit = {1, 1};
		struct output output;
		struct error err = {0};

		signal(SIGXFSZ, SIG_DFL);
		if (setrlimit(RLIMIT_FSIZE, &limit) < 0 || output_open(&output, "file", &err) < 0)
			_exit(1);
		fputs("two", output.stream);
		_exit(output_commit(&output, &err) == -1 && err.status == STATUS_SYSTEM ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(file_count(), 0);
}

/* ------------------------------------------------------------------- options */

static struct {
	const char *name;
	bool flag;
	const char *text;
	struct optional_time time;
	double number;
	char operands[64];
} given;

static const struct option_spec options[] = {
	{"name", 'n', "TEXT", "a name", option_text, &given.name},
	{"flag", 'f', NULL, "a flag", option_flag, &given.flag},
	{"text", 't', "TEXT", "a text, of which the last counts", option_text, &given.text},
	{"time", 0, "TIME", "a time", option_time, &given.time},
	{"number", 0, "NUMBER", "a number", option_number, &given.number},
	{0},
};

static const struct option_spec *const tables[] = {options, NULL};

static int run(char **operands, int count, struct error *err)
{
	for (int i = 0; i < count; i++) {
		strcat(given.operands, operands[i]);
		strcat(given.operands, ",");
	}
	if (count > 0 && !strcmp(operands[0], "fail"))
		return error_set(err, STATUS_LIMIT, "this cannot be done");
	if (count > 0 && !strcmp(operands[0], "recover"))
		error_set(err, STATUS_DATA, "met and got over");
	return 0;
}

static const struct command nameless = {
	.name = "",
	.operands = "FILE",
	.summary = "do it",
	.options = tables,
	.least_operands = 1,
	.most_operands = 2,
	.run = run,
};
static const struct command *const single[] = {&nameless, NULL};

static const struct command do_command = {
	.name = "do",
	.operands = "[FILE]...",
	.summary = "do it",
	.notes = "What it does.\n.SH x",
	.options = tables,
	.least_operands = 0,
	.most_operands = -1,
	.run = run,
};
static const struct command *const several[] = {&do_command, NULL};

/*
 * Run a tool with the arguments, which are separated by blanks.  Returns its
 * status, with what it prints on both streams in `printed`.
 */
static int run_tool(const struct tool *tool, const char *arguments, char printed[static 4096])
{
	char words[256], *argv[16] = {(char *)tool->name};
	int argc = 1, status;
	int out = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
	int file = open("printed", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ssize_t count;

	memset(&given, 0, sizeof given);
	strcpy(words, arguments);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	dup2(file, STDERR_FILENO);
	status = tool_main(tool, argc, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	close(out);
	close(errors);
	count = pread(file, printed, 4095, 0);
	printed[count < 0 ? 0 : count] = '\0';
	close(file);
	assert_int_equal(unlink("printed"), 0);
	return status;
}

static void options_are_read_into_their_targets(void **state)
{
	const struct tool tool = {.name = "tool", .summary = "A tool.", .commands = single};
	char printed[4096];

	(void)state;
	assert_int_equal(run_tool(&tool, "-n x -f --text=a -tb --time 3us a --number -2 -t c b",
				  printed),
			 0);
	assert_string_equal(printed, "");
	assert_string_equal(given.name, "x");
	assert_true(given.flag);
	assert_string_equal(given.text, "c");
	assert_int_equal(given.time.as, 3000 * AS_PER_NS);
	assert_true(given.time.given);
	assert_true(given.number == -2);
	assert_string_equal(given.operands, "a,b,");
	assert_int_equal(run_tool(&tool, "-- -f", printed), 0);
	assert_false(given.flag);
	assert_string_equal(given.operands, "-f,");
	assert_int_equal(run_tool(&tool, "-", printed), 0);
	assert_string_equal(given.operands, "-,");
}

static void usage_errors_say_what_is_wrong(void **state)
{
	static const struct {
		const char *arguments, *expected;
	} cases[] = {
		{"", "tool: FILE is missing\n"},
		{"a b c", "tool: unexpected operand 'c'\n"},
		{"-x a", "tool: unknown option '-x'\n"},
		{"-fx a", "tool: unknown option '-x'\n"},
		{"--loud a", "tool: unknown option '--loud'\n"},
		{"--t 1 a", "tool: unknown option '--t'\n"},
		{"--flag=1 a", "tool: option '--flag' takes no argument\n"},
		{"a -n", "tool: option '-n' needs an argument\n"},
		{"a --name", "tool: option '--name' needs an argument\n"},
		{"--time 3h a",
		 "tool: --time: '3h' is not a time: the unit must be ns, us, ms or s\n"},
		{"--number x a", "tool: --number: 'x' is not a number\n"},
	};
	const struct tool tool = {.name = "tool", .summary = "A tool.", .commands = single};
	char printed[4096], expected[256];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(expected, sizeof expected, "%stool: try 'tool --help'\n",
			 cases[i].expected);
		assert_int_equal(run_tool(&tool, cases[i].arguments, printed), STATUS_USAGE);
		assert_string_equal(printed, expected);
		assert_string_equal(given.operands, "");
	}
}

static void the_error_of_a_command_is_its_exit_status(void **state)
{
	const struct tool tool = {.name = "tool", .summary = "A tool.", .commands = single};
	char printed[4096];

	(void)state;
	assert_int_equal(run_tool(&tool, "fail", printed), STATUS_LIMIT);
	assert_string_equal(printed, "tool: this cannot be done\n");
	assert_int_equal(run_tool(&tool, "recover", printed), 0);
	assert_string_equal(printed, "");
}

static void options_after_operands_can_be_left_alone(void **state)
{
	struct command starts = do_command;
	const struct command *const commands[] = {&starts, NULL};
	const struct tool tool = {.name = "tool", .summary = "A tool.", .commands = commands};
	char printed[4096];

	(void)state;
	starts.operands_end_options = true;
	assert_int_equal(run_tool(&tool, "do -f ./app -f --name x", printed), 0);
	assert_true(given.flag);
	assert_null(given.name);
	assert_string_equal(given.operands, "./app,-f,--name,x,");
	assert_int_equal(run_tool(&tool, "do -z ./app", printed), STATUS_USAGE);
	assert_int_equal(run_tool(&tool, "do -n", printed), STATUS_USAGE);
	assert_string_equal(printed, "tool: option '-n' needs an argument\n"
				     "tool: try 'tool do --help'\n");
}

static void help_lists_every_option(void **state)
{
	const struct tool tool = {.name = "tool", .summary = "A tool.", .commands = several};
	char printed[4096];

	(void)state;
	assert_int_equal(run_tool(&tool, "do --help", printed), 0);
	assert_string_equal(printed,
			    "usage: tool do [OPTION]... [FILE]...\n\ndo it\n\n"
			    "  -n, --name TEXT         a name\n"
			    "  -f, --flag              a flag\n"
			    "  -t, --text TEXT         a text, of which the last counts\n"
			    "      --time TIME         a time\n"
			    "      --number NUMBER     a number\n"
			    "  -h, --help              print this help (--help=man: as a man page)"
			    " and exit\n"
			    "  -V, --version           print the version and exit\n"
			    "\nWhat it does. .SH x\n");
	assert_int_equal(run_tool(&tool, "do --help=man", printed), 0);
	for (const struct option_spec *option = options; option->name; option++) {
		char name[32];

		snprintf(name, sizeof name, "\\-\\-%s\\fR", option->name);
		assert_non_null(strstr(printed, name));
	}
	/* Text is escaped where roff would read a request. */
	assert_non_null(strstr(printed, "\n\\&.SH x\n"));
	assert_int_equal(run_tool(&tool, "do --version", printed), 0);
	assert_non_null(strstr(printed, "tool (llamp) "));
}

static void tools_with_commands_ask_for_one(void **state)
{
	const struct tool tool = {.name = "tool", .summary = "A tool.", .commands = several};
	char printed[4096];

	(void)state;
	assert_int_equal(run_tool(&tool, "", printed), STATUS_USAGE);
	assert_int_equal(run_tool(&tool, "undo", printed), STATUS_USAGE);
	assert_string_equal(printed, "tool: unknown command 'undo'\ntool: try 'tool --help'\n");
	assert_int_equal(run_tool(&tool, "--help", printed), 0);
	assert_non_null(strstr(printed, "  do           do it\n"));
	assert_int_equal(run_tool(&tool, "--help=man", printed), 0);
	assert_non_null(strstr(printed, "tool\\-do"));
	assert_int_equal(run_tool(&tool, "--version", printed), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_keep_status_and_text),
		cmocka_unit_test(long_errors_are_cut),
		cmocka_unit_test(arrays_keep_pushed_items),
		cmocka_unit_test(impossible_sizes_are_errors_of_the_system),
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(texts_other_than_times_are_refused),
		cmocka_unit_test(sizes_have_decimal_and_binary_units),
		cmocka_unit_test(gaps_are_times_or_bandwidths),
		cmocka_unit_test(counts_and_numbers_are_checked),
		cmocka_unit_test(numbers_for_people_have_fitting_units),
		cmocka_unit_test(files_and_pipes_are_read_whole),
		cmocka_unit_test(files_that_cannot_be_read_are_named),
		cmocka_unit_test(output_appears_only_when_it_is_whole),
		cmocka_unit_test(output_has_the_permissions_of_a_new_file),
		cmocka_unit_test(output_through_a_link_replaces_its_target),
		cmocka_unit_test(files_that_cannot_be_written_are_named),
		cmocka_unit_test(a_signal_leaves_no_file_behind),
		cmocka_unit_test(a_limit_on_the_size_of_files_is_an_error),
		cmocka_unit_test(options_are_read_into_their_targets),
		cmocka_unit_test(usage_errors_say_what_is_wrong),
		cmocka_unit_test(the_error_of_a_command_is_its_exit_status),
		cmocka_unit_test(options_after_operands_can_be_left_alone),
		cmocka_unit_test(help_lists_every_option),
		cmocka_unit_test(tools_with_commands_ask_for_one),
	};

	return cmocka_run_group_tests_name("common", tests, make_folder, remove_folder);
}
