#include "tracer/report_sites.h"

#include "common/machine/now.h"
#include "common/source/call_site.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The program at work. */
struct helper {
	pid_t pid;
	int socket;
	uint64_t until_ns;
};

/* ----------------------------------------------------------------------- start */

/* Find the program in the folder of this library. */
static bool report_sites_find_path(char path[static PATH_MAX])
{
	const char *slash;
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)site_names_find, &info))
		return false;
	slash = strrchr(info.dli_fname, '/');
	return slash && snprintf(path, PATH_MAX, "%.*s/llamp/llamp-sites",
				 (int)(slash - info.dli_fname), info.dli_fname) < PATH_MAX;
}

/* Whether the program must not have a variable: tools to preload, servers to ask for files. */
static bool is_left_out(const char *variable)
{
	return !strncmp(variable, "LD_PRELOAD=", 11) || !strncmp(variable, "DEBUGINFOD_URLS=", 16);
}

static int copy_environment(char ***copy, struct error *err)
{
	size_t count = 0, kept = 0;

	while (environ && environ[count])
		count++;
	TRY(allocate(copy, count + 1, sizeof **copy, err));
	for (size_t i = 0; i < count; i++)
		if (!is_left_out(environ[i]))
			(*copy)[kept++] = environ[i];
	return 0;
}

/* Spawn it with signals as they are by default.  posix_spawn does not copy this process as fork would. */
static int spawn(pid_t *pid, const char *path, int socket, char **environment)
{
	char *const words[] = {(char *)(uintptr_t)path, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int result;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, socket, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	result = posix_spawn(pid, path, &files, &attributes, words, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return result;
}

static int report_sites_start(struct helper *helper, struct error *err)
{
	char path[PATH_MAX], **environment;
	int sockets[2], failed;

	if (!report_sites_find_path(path))
		return error_set(err, STATUS_SYSTEM, "llamp-sites is not found");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		return error_set_errno(err, "%s", path);
	failed = copy_environment(&environment, err) < 0 ? ENOMEM : 0;
	if (!failed) {
		failed = spawn(&helper->pid, path, sockets[1], environment);
		free(environment);
	}
	close(sockets[1]);
	helper->socket = sockets[0];
	if (!failed)
		return 0;
	close(sockets[0]);
	return error_set(err, STATUS_SYSTEM, "%s: %s", path, strerror(failed));
}

/* ------------------------------------------------------------------------- end */

/* Let it end, but do not wait long for it: it may hang in a file system. */
static void stop(struct helper *helper)
{
	enum { TESTS = 200 };
	const struct timespec pause = {.tv_nsec = 1000000};

	close(helper->socket);
	for (int i = 0; i < TESTS; i++) {
		const pid_t ended = waitpid(helper->pid, NULL, WNOHANG);

		if (ended == helper->pid || (ended < 0 && errno != EINTR))
			return;
		if (i == TESTS / 2 || now_ns() > helper->until_ns)
			kill(helper->pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
}

/* --------------------------------------------------------------------- exchange */

/* Wait until the socket is ready. */
static bool wait_for(const struct helper *helper, short events)
{
	struct pollfd ready = {.fd = helper->socket, .events = events};

	for (;;) {
		const uint64_t ns = now_ns();
		uint64_t ms;
		int count;

		if (ns >= helper->until_ns)
			return false;
		ms = (helper->until_ns - ns) / 1000000 + 1;
		count = poll(&ready, 1, ms < INT_MAX ? (int)ms : INT_MAX);
		if (count > 0)
			return true;
		if (count < 0 && errno != EINTR)
			return false;
	}
}

static bool send_text(const struct helper *helper, const char *text)
{
	size_t left = strlen(text) + 1;

	while (left) {
		ssize_t sent;

		if (!wait_for(helper, POLLOUT))
			return false;
		sent = send(helper->socket, text, left, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		left -= sent > 0 ? (size_t)sent : 0;
		text += sent > 0 ? sent : 0;
	}
	return true;
}

struct answers {
	ARRAY(char) bytes;
};

static int receive_all(const struct helper *helper, struct answers *answers, struct error *err)
{
	enum { AT_ONCE = 65536 };

	while (wait_for(helper, POLLIN)) {
		ssize_t got;

		TRY(array_reserve(&answers->bytes, AT_ONCE, err));
		got = recv(helper->socket, answers->bytes.items + answers->bytes.count, AT_ONCE,
			   MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
			return 0;
		answers->bytes.count += got > 0 ? (size_t)got : 0;
	}
	return error_set(err, STATUS_LIMIT, "finding their lines takes too long");
}

static int report_sites_ask(const struct helper *helper, const struct string_table *texts,
			    struct answers *answers, struct error *err)
{
	for (size_t i = 0; i < texts->starts.count; i++)
		if (!send_text(helper, texts->starts.items[i]))
			break;
	shutdown(helper->socket, SHUT_WR);
	return receive_all(helper, answers, err);
}

static int run_helper(const struct string_table *texts, uint64_t until_ns, struct answers *answers,
		      struct error *err)
{
	struct helper helper = {.until_ns = until_ns};
	int result;

	TRY(report_sites_start(&helper, err));
	result = report_sites_ask(&helper, texts, answers, err);
	stop(&helper);
	return result;
}

/* ----------------------------------------------------------------------- names */

/* Next whole answer at *at, which goes on, or NULL. */
static char *next_answer(const struct answers *answers, size_t *at)
{
	char *text = answers->bytes.items + *at;
	const char *end = *at < answers->bytes.count ? memchr(text, 0, answers->bytes.count - *at)
						     : NULL;

	if (!end)
		return NULL;
	*at += (size_t)(end - text) + 1;
	return text;
}

static int name_by_place(struct site_names *names, const char *text, const char **name,
			 struct error *err)
{
	char *place;

	TRY(array_reserve(&names->places, 1, err));
	TRY(call_site_place(text, &place, err));
	names->places.items[names->places.count++] = place;
	*name = place;
	return 0;
}

/* Take the names, and print why files have no lines.  `failure`: of the program, or NULL. */
static int take_answers(struct site_names *names, const struct answers *answers,
			const char *failure, const struct string_table *texts, const char **found,
			struct error *err)
{
	const char *doubt;
	size_t at = 0;

	for (size_t i = 0; i < texts->starts.count; i++) {
		found[i] = next_answer(answers, &at);
		if (!found[i])
			TRY(name_by_place(names, texts->starts.items[i], &found[i], err));
	}
	while ((doubt = next_answer(answers, &at)))
		fprintf(stderr, "llamp-trace: %s\n", doubt);
	if (names->places.count)
		fprintf(stderr, "llamp-trace: call sites have no lines: %s\n",
			failure ? failure : "llamp-sites has ended early");
	return 0;
}

int site_names_find(void *data, const struct string_table *texts, const char **found,
		    struct error *err)
{
	struct site_names *names = data;
	struct answers answers = {0};
	struct error failure;
	const bool failed = run_helper(texts, names->until_ns, &answers, &failure) < 0;
	const int result = take_answers(names, &answers, failed ? failure.text : NULL, texts, found,
					err);

	names->answers = answers.bytes.items;
	return result;
}

void site_names_release(struct site_names *names)
{
	free(names->answers);
	for (size_t i = 0; i < names->places.count; i++)
		free(names->places.items[i]);
	array_release(&names->places);
}
