#include "common/machine/file_limit.h"

#include <pthread.h>
#include <time.h>

static sigset_t signal_set(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGXFSZ);
	return signals;
}

void file_limit_hold(struct file_limit *limit)
{
	const sigset_t signals = signal_set();
	sigset_t pending;

	sigpending(&pending);
	limit->held = !sigismember(&pending, SIGXFSZ) &&
		      pthread_sigmask(SIG_BLOCK, &signals, &limit->before) == 0;
}

void file_limit_release(const struct file_limit *limit)
{
	static const struct timespec now = {0};
	const sigset_t signals = signal_set();

	if (!limit->held)
		return;
	sigtimedwait(&signals, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
}
