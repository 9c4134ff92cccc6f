#include "launch/forwarded.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT_S = 5, PAUSE_US = 1000 };

static bool is_unread(void)
{
	int bytes;

	return ioctl(STDERR_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

void forwarded_wait(void)
{
	struct stat status;

	if (fstat(STDERR_FILENO, &status) < 0 || !S_ISFIFO(status.st_mode))
		return;
	/* By number, not by the clock, which may be set back. */
	for (int i = 0; i < LIMIT_S * 1000000 / PAUSE_US && is_unread(); i++)
		usleep(PAUSE_US);
}
