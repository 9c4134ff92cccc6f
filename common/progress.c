#include "common/progress.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { FIRST_SHOWN_S = 2, MOST_TEXT = 79, ROOM_FOR_NUMBERS = 28, UNKNOWN = -1 };

static const char *tool_name;
static const char *_Atomic phase;
static atomic_int percent;
static volatile sig_atomic_t seconds;
static int running;

/* Line to show, built with functions that a signal handler may call. */
struct line {
	char text[MOST_TEXT + 1];
	size_t used;
};

/* Append text.  Control characters, as in file names, become '?'. */
static void add_text(struct line *line, const char *text)
{
	for (; *text && line->used < MOST_TEXT; text++) {
		const unsigned char byte = (unsigned char)*text;

		line->text[line->used++] = byte < 0x20 || byte == 0x7f ? '?' : *text;
	}
}

static void add_number(struct line *line, int number)
{
	char digits[12];
	int first = sizeof digits - 1;

	digits[first] = '\0';
	do
		digits[--first] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	add_text(line, digits + first);
}

static void show(int number)
{
	struct line line = {.used = 0};
	int share = atomic_load(&percent);
	size_t shown;
	static size_t shown_before;

	(void)number;
	line.text[line.used++] = '\r';
	add_text(&line, tool_name);
	add_text(&line, ": ");
	add_text(&line, atomic_load(&phase));
	if (line.used > MOST_TEXT - ROOM_FOR_NUMBERS)
		line.used = MOST_TEXT - ROOM_FOR_NUMBERS;
	if (share != UNKNOWN) {
		add_text(&line, ", ");
		add_number(&line, share);
		add_text(&line, " %");
	}
	add_text(&line, ", ");
	add_number(&line, seconds);
	add_text(&line, " s");
	seconds = seconds + 1;
	/* Overwrite the rest of a longer earlier line. */
	shown = line.used;
	while (line.used < shown_before)
		add_text(&line, " ");
	shown_before = shown;
	if (write(STDERR_FILENO, line.text, line.used) < 0)
		return;
}

void progress_begin(const char *tool, const char *what)
{
	const struct itimerval every_second = {{1, 0}, {FIRST_SHOWN_S, 0}};
	struct sigaction action = {.sa_handler = show, .sa_flags = SA_RESTART};

	progress_phase(what);
	if (!isatty(STDERR_FILENO))
		return;
	tool_name = tool;
	running = 1;
	seconds = FIRST_SHOWN_S;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every_second, NULL);
}

void progress_phase(const char *what)
{
	atomic_store(&percent, UNKNOWN);
	atomic_store(&phase, what);
}

void progress_show(uint64_t done, uint64_t whole)
{
	if (whole > 0)
		atomic_store_explicit(&percent,
				      (int)(100.0 * (double)(done < whole ? done : whole) /
					    (double)whole),
				      memory_order_relaxed);
}

void progress_end(void)
{
	const struct itimerval never = {{0, 0}, {0, 0}};

	if (!running)
		return;
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	running = 0;
	if (seconds > FIRST_SHOWN_S)
		fprintf(stderr, "\r%*s\r", MOST_TEXT, "");
}
