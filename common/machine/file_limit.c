#include "common/machine/file_limit.h"

#include <pthread.h>
#include <time.h>

void file_limit_hold(struct file_limit *limit)
{
	static const int signals[] = {SIGXFSZ, SIGPIPE};
	sigset_t pending;

	sigpending(&pending);
	sigemptyset(&limit->held);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (!sigismember(&pending, signals[i]))
			sigaddset(&limit->held, signals[i]);
	pthread_sigmask(SIG_BLOCK, &limit->held, &limit->before);
}

void file_limit_release(const struct file_limit *limit)
{
	static const struct timespec now = {0};

	while (sigtimedwait(&limit->held, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
}
