#include "usage/index/slurm.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool slurm_id(const char *text, char *job, char *step, size_t size)
{
	const char *const dot = strchr(text, '.');

	snprintf(job, size, "%.*s", dot ? (int)(dot - text) : (int)strlen(text), text);
	snprintf(step, size, "%s", dot ? dot + 1 : "");
	return !dot || isdigit((unsigned char)dot[1]);
}

int64_t slurm_number(const char *text)
{
	char *end;
	long long value;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	value = strtoll(text, &end, 10);
	return *end || errno ? -1 : value;
}

int64_t slurm_time(const char *text)
{
	struct tm when = {.tm_isdst = -1};
	const char *end;

	if (slurm_number(text) >= 0)
		return slurm_number(text);
	end = strptime(text, "%Y-%m-%dT%H:%M:%S", &when);
	return end && !*end ? (int64_t)mktime(&when) : -1;
}

int64_t slurm_duration(const char *text)
{
	unsigned days = 0, hours, minutes, seconds;
	const char *const dash = strchr(text, '-');
	int used = 0;

	if (slurm_number(text) >= 0)
		return slurm_number(text);
	if (dash && (sscanf(text, "%9u-%n", &days, &used) != 1 || used != dash + 1 - text))
		return -1;
	text += used;
	used = 0;
	if (sscanf(text, "%9u:%2u:%2u%n", &hours, &minutes, &seconds, &used) != 3 || text[used])
		return -1;
	return ((int64_t)days * 24 + hours) * 3600 + minutes * 60 + seconds;
}

const char *slurm_state(const char *text, char *state, size_t size)
{
	snprintf(state, size, "%.*s", (int)strcspn(text, " +"), text);
	return state;
}

bool slurm_runs(const char *state)
{
	static const char *const states[] = {"PENDING",	    "RUNNING",	  "REQUEUED", "RESIZING",
					     "CONFIGURING", "COMPLETING", "SUSPENDED"};

	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (!strcmp(state, states[i]))
			return true;
	return false;
}

int64_t slurm_exit(const char *text)
{
	unsigned status, signal = 0;
	int used = 0;

	if (slurm_number(text) >= 0)
		return slurm_number(text);
	if (sscanf(text, "%9u:%9u%n", &status, &signal, &used) != 2 || text[used])
		return -1;
	return signal ? 128 + signal : status;
}

/* Whether the next word is the value of this option of srun. */
static bool has_value(const char *option, size_t length)
{
	static const char *const names[] = {"--ntasks",	   "--nodes",	 "--cpus-per-task",
					    "--partition", "--account",	 "--time",
					    "--mem",	   "--job-name", "--mpi",
					    "--cpu-bind",  "--nodelist", "--ntasks-per-node",
					    "--output",	   "--error",	 "--distribution"};

	if (length == 2)
		return strchr("ABcCdDeGiJLmMnNopqrStTwWx", option[1]) != NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == length && !strncmp(option, names[i], length))
			return true;
	return false;
}

const char *slurm_program(const char *line, char *program, size_t size)
{
	bool is_value = false;
	const char *word = line + strspn(line, " ");
	size_t length = strcspn(word, " ");

	*program = '\0';
	if (length < 4 || strncmp(word + length - 4, "srun", 4))
		return program;
	for (word += length; *(word += strspn(word, " ")); word += length) {
		length = strcspn(word, " ");
		if (is_value) {
			is_value = false;
		} else if (*word != '-') {
			snprintf(program, size, "%.*s", (int)length, word);
			break;
		} else {
			is_value = has_value(word, length);
		}
	}
	return program;
}
