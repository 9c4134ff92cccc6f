#include "common/child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Places of children: 0, free; STARTING, of a child that is being started. */
enum { STARTING = -1 };
static _Atomic pid_t children[CHILDREN_MOST];

/* This process ends: no child is started any more. */
static atomic_bool ending;

static _Atomic pid_t *take_place(void)
{
	for (int i = 0; i < CHILDREN_MOST; i++) {
		pid_t none = 0;

		if (atomic_compare_exchange_strong(&children[i], &none, STARTING))
			return &children[i];
	}
	return NULL;
}

/* Start the child with these signals blocked, as this thread had them. */
static int spawn(pid_t *process, const char *program, char *const *words, int output, int errors,
		 const sigset_t *blocked)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int code;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, blocked);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	code = posix_spawn(process, program, &files, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return code;
}

int child_start(pid_t *process, const char *program, char *const *words, int output, int errors)
{
	sigset_t all, before;
	_Atomic pid_t *place;
	int code;

	/* A handler in this thread would wait for ever for the child that is being started. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	place = take_place();
	code = !place  ? EAGAIN
	       : ending ? EINTR
			: spawn(process, program, words, output, errors, &before);
	if (place)
		*place = code ? 0 : *process;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

static void forget(pid_t process)
{
	for (int i = 0; i < CHILDREN_MOST; i++) {
		pid_t found = process;

		if (atomic_compare_exchange_strong(&children[i], &found, 0))
			return;
	}
}

int child_wait(pid_t process)
{
	siginfo_t ended;
	int status;

	/* The number must not be that of another process while it is in the list. */
	while (waitid(P_PID, (id_t)process, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	forget(process);
	while (waitpid(process, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void child_end_all(void)
{
	ending = true;
	for (int i = 0; i < CHILDREN_MOST; i++) {
		pid_t process;

		while ((process = children[i]) == STARTING)
			sched_yield();
		if (process && kill(process, SIGTERM) == 0)
			waitpid(process, NULL, 0);
	}
}
