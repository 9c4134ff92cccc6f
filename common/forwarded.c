#include "common/forwarded.h"

#include "common/now.h"

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

void forwarded_wait(void)
{
	const uint64_t end_ns = now_ns() + LIMIT_S * UINT64_C(1000000000);
	struct stat status;

	if (fstat(STDERR_FILENO, &status) < 0 || !S_ISFIFO(status.st_mode))
		return;
	while (is_unread(STDERR_FILENO) && now_ns() < end_ns)
		usleep(PAUSE_US);
}
