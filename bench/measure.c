/*
 * Time and memory of a command: measure COMMAND ARGUMENT...  Prints the elapsed time in ns,
 * the time of all processors in ns, and the peak memory in bytes.  Drops the output of the
 * command.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec start, end;
	struct rusage usage;
	int status = 1;
	pid_t child;

	if (argc < 2)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &start);
	child = fork();
	if (child == 0) {
		int nowhere = open("/dev/null", O_WRONLY);

		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status) {
		fprintf(stderr, "measure: %s failed\n", argv[1]);
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.0f %.0f %lld\n",
	       (end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec),
	       (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
		       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3,
	       (long long)usage.ru_maxrss * 1024);
	return 0;
}
