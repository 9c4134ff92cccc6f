#include "common/progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { FIRST_SHOWN_S = 2, MOST_TEXT = 79 };

static char text[MOST_TEXT - 16];	/* leaves room for the seconds in a line */
static volatile sig_atomic_t seconds;
static int running;

/* Runs as a signal handler: only what is safe there. */
static void show(int number)
{
	char line[MOST_TEXT + 1] = "\r", digits[12];
	size_t used = 1, length = strlen(text);
	int first = sizeof digits;
	int rest = seconds;

	(void)number;
	seconds = seconds + 1;
	memcpy(line + used, text, length);
	used += length;
	memcpy(line + used, ", ", 2);
	used += 2;
	do
		digits[--first] = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	memcpy(line + used, digits + first, sizeof digits - (size_t)first);
	used += sizeof digits - (size_t)first;
	memcpy(line + used, " s", 2);
	if (write(STDERR_FILENO, line, used + 2) < 0)
		return;
}

void progress_begin(const char *tool, const char *what)
{
	const struct itimerval every_second = {{1, 0}, {FIRST_SHOWN_S, 0}};
	struct sigaction action = {.sa_handler = show, .sa_flags = SA_RESTART};

	if (!isatty(STDERR_FILENO))
		return;
	snprintf(text, sizeof text, "%s: %s", tool, what);
	running = 1;
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
