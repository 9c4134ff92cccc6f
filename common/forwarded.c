#include "common/forwarded.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT_S = 5, PAUSE_US = 1000 };

static bool is_unread(int pipe)
{
	int bytes;

	return ioctl(pipe, FIONREAD, &bytes) == 0 && bytes > 0;
}

void forwarded_wait_for(int descriptor)
{
	struct stat status;

	if (fstat(descriptor, &status) < 0 || !S_ISFIFO(status.st_mode))
		return;
	/* By number, not by the clock, which may be set back. */
	for (int i = 0; i < LIMIT_S * 1000000 / PAUSE_US && is_unread(descriptor); i++)
		usleep(PAUSE_US);
}

void forwarded_wait(void)
{
	forwarded_wait_for(STDERR_FILENO);
}
