#include "common/progress.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { FIRST_SHOWN_S = 2, MOST_TEXT = 79, ROOM_FOR_NUMBERS = 28 };

static char text[MOST_TEXT - ROOM_FOR_NUMBERS];	/* of a line */
static volatile sig_atomic_t seconds;
static atomic_int percent = -1;	/* of the work is done; negative: not known */
static int running;

/* Put ", 42 %" behind the line; returns its new end. */
static size_t add_number(char *line, size_t used, int number, const char *unit)
{
	char digits[12];
	int first = sizeof digits;

	memcpy(line + used, ", ", 2);
	used += 2;
	do
		digits[--first] = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	memcpy(line + used, digits + first, sizeof digits - (size_t)first);
	used += sizeof digits - (size_t)first;
	memcpy(line + used, unit, 2);
	return used + 2;
}

/* Runs as a signal handler: only what is safe there. */
static void show(int number)
{
	char line[MOST_TEXT + 1] = "\r";
	size_t used = 1, length = strlen(text);
	int rest = seconds, part = percent;

	(void)number;
	seconds = seconds + 1;
	memcpy(line + used, text, length);
	used += length;
	if (part >= 0)
		used = add_number(line, used, part, " %");
	used = add_number(line, used, rest, " s");
	if (write(STDERR_FILENO, line, used) < 0)
		return;
}

void progress_show(uint64_t done, uint64_t total)
{
	if (total > 0)
		percent = (int)((double)(done < total ? done : total) / (double)total * 100);
}

void progress_begin(const char *tool, const char *what)
{
	const struct itimerval every_second = {{1, 0}, {FIRST_SHOWN_S, 0}};
	struct sigaction action = {.sa_handler = show, .sa_flags = SA_RESTART};

	if (!isatty(STDERR_FILENO))
		return;
	snprintf(text, sizeof text, "%s: %s", tool, what);
	running = 1;
	percent = -1;
	seconds = FIRST_SHOWN_S;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every_second, NULL);
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
