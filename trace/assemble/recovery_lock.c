#include "trace/assemble/recovery_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Note who has the lock, for the message of others. */
static void sign(const struct recovery_lock *lock)
{
	char host[256] = "", text[320];

	gethostname(host, sizeof host - 1);
	snprintf(text, sizeof text, "process %d on %s", (int)getpid(), host);
	if (ftruncate(lock->file, 0) < 0 || pwrite(lock->file, text, strlen(text), 0) < 0)
		return;
}

static int refuse(struct recovery_lock *lock, const char *directory, bool by_file,
		  struct error *err)
{
	char owner[320] = "";
	const ssize_t length = lock->file < 0 ? 0
					      : pread(lock->file, owner, sizeof owner - 1, 0);

	owner[length > 0 ? length : 0] = 0;
	if (lock->file >= 0)
		close(lock->file);
	lock->file = -1;
	if (by_file)
		return error_set(err, STATUS_DATA, "%s: another process makes its trace; if none does,"
				 " remove %s", directory, lock->path);
	return error_set(err, STATUS_DATA, "%s: another process makes its trace%s%s; nothing was done"
			 " here", directory, *owner ? ": " : "", owner);
}

/* Whether the locked file is still the one that others open: its owner removes it. */
static bool is_current(const struct recovery_lock *lock)
{
	struct stat own, named;

	return fstat(lock->file, &own) == 0 && stat(lock->path, &named) == 0 &&
	       own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

/* Lock the open file: 0 or errno. */
static int lock_file(int file, bool wait)
{
	int locked;

	do
		locked = flock(file, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
	while (locked < 0 && errno == EINTR);
	return locked < 0 ? errno : 0;
}

/* Open the file, which is *created if there was none.  -1 with errno. */
static int open_file(const char *path, bool *created)
{
	int file;

	do {
		file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		*created = file >= 0;
		if (file < 0 && errno == EEXIST)
			file = open(path, O_RDWR | O_CLOEXEC);
		else
			break;
		/* Its owner may have removed it between the two. */
	} while (file < 0 && errno == ENOENT);
	return file;
}

/* Open and lock the file once: 1 if it is to be tried again, as the file was removed before. */
static int try_once(struct recovery_lock *lock, const char *directory, bool wait, struct error *err)
{
	bool created;
	int code;

	lock->file = open_file(lock->path, &created);
	if (lock->file < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (lock->file < 0)
		return error_set_errno(err, "%s", lock->path);
	code = lock_file(lock->file, false);
	if (code == EWOULDBLOCK && wait) {
		lock->waited = true;
		code = lock_file(lock->file, true);
	}
	if (code == EWOULDBLOCK || (code && !created))
		return refuse(lock, directory, code != EWOULDBLOCK, err);
	if (!code && !is_current(lock)) {
		close(lock->file);
		return 1;
	}
	sign(lock);
	return 0;
}

int recovery_lock_take(struct recovery_lock *lock, const char *directory, bool wait,
		       struct error *err)
{
	int again;

	lock->file = -1;
	lock->waited = false;
	if (snprintf(lock->path, sizeof lock->path, "%s/journal/recovering", directory) >=
	    (int)sizeof lock->path)
		return error_set(err, STATUS_DATA, "%s: the name is too long", directory);
	do
		again = try_once(lock, directory, wait, err);
	while (again > 0);
	return again;
}

void recovery_lock_release(struct recovery_lock *lock)
{
	if (lock->file < 0)
		return;
	unlink(lock->path);
	*strrchr(lock->path, '/') = 0;
	rmdir(lock->path);
	close(lock->file);
	lock->file = -1;
}
