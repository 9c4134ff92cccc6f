#include "tracer/last_message.h"

#include "trace/journal/settings.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

static int watcher = -1;
static struct stat identity;	/* the program may close its files, and open others */

static bool is_watcher(int file, struct stat *found)
{
	int type;
	socklen_t bytes = sizeof type;

	return getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_SEQPACKET &&
	       fstat(file, found) == 0;
}

/* Find the watcher's socket, which other programs that this one starts must not inherit. */
static bool find_watcher(void)
{
	const char *text = getenv(SETTINGS_WATCHER);

	if (!text || !is_watcher(atoi(text), &identity))
		return false;
	watcher = atoi(text);
	fcntl(watcher, F_SETFD, FD_CLOEXEC);
	return true;
}

void last_message(const char *text)
{
	struct stat now;

	if (watcher < 0 && !find_watcher())
		return;
	if (is_watcher(watcher, &now) && now.st_ino == identity.st_ino)
		send(watcher, text, strlen(text) + 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}
