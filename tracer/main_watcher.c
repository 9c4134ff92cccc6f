/* What llamp-trace starts before it becomes the program: the watcher. */
#include "tracer/watcher.h"

#include "launch/launch_stderr.h"
#include "trace/journal/settings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Least descriptor that the program inherits: shells use lower ones. */
enum { LEAST_DESCRIPTOR = 300 };

static char last_message[8 * PATH_MAX];

/* Receive a message: its length with the 0 at its end; 0 if the program has closed the socket; else -1. */
static ssize_t receive(int socket)
{
	const ssize_t length = recv(socket, last_message, sizeof last_message - 1, MSG_DONTWAIT);

	if (length > 0)
		last_message[length] = 0;
	return length;
}

/* Whether a process has files, which it loses all at once when it ends. */
static bool has_files(pid_t process)
{
	struct dirent *entry;
	bool found = false;
	char path[32];
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder)))
		found = *entry->d_name != '.';
	if (folder)
		closedir(folder);
	return found;
}

/* Wait until the process ends.  False if it lives without the socket, as nothing is known of it then. */
static bool await_end(pid_t number, int process, int socket)
{
	struct pollfd both[] = {{.fd = process, .events = POLLIN}, {.fd = socket, .events = POLLIN}};

	for (;;) {
		if (poll(both, 2, -1) < 0 && errno != EINTR)
			return false;
		if (both[0].revents)
			break;
		if (both[1].revents && receive(socket) == 0)
			return !has_files(number);
	}
	while (receive(socket) > 0)
		;
	return true;
}

/* Close all files but these: the launcher waits for the ends of its pipes. */
static void close_others(int first, int second, int third)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		const int file = atoi(entry->d_name);

		if (*entry->d_name != '.' && file != first && file != second && file != third &&
		    file != dirfd(folder))
			close(file);
	}
	if (folder)
		closedir(folder);
}

/* Be nobody's child: the program may wait for its children, and the launcher kills its group or session. */
static void watch(pid_t number, int process, int socket)
{
	const int launcher = launch_stderr(), output = launcher >= 0 ? launcher : STDERR_FILENO;

	if (fork() != 0)
		_exit(0);
	setsid();
	close_others(process, socket, output);
	if (chdir("/") == 0 && await_end(number, process, socket) && *last_message &&
	    write(output, last_message, strlen(last_message)) < 0)
		_exit(1);
	_exit(0);
}

static void watcher_start_job(int process, int socket)
{
	const pid_t number = getpid(), child = fork();

	if (child == 0)
		watch(number, process, socket);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Let the program inherit the socket. */
static void pass_on(int socket)
{
	const int passed = fcntl(socket, F_DUPFD, LEAST_DESCRIPTOR);
	char text[16];

	snprintf(text, sizeof text, "%d", passed);
	if (passed >= 0)
		setenv(SETTINGS_WATCHER, text, 1);
}

void watcher_start(void)
{
#ifdef SYS_pidfd_open
	const int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
	int ends[2];

	if (process < 0)
		return;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0) {
		pass_on(ends[1]);
		close(ends[1]);
		watcher_start_job(process, ends[0]);
		close(ends[0]);
	}
	close(process);
#endif
}
