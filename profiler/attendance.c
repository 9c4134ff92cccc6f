#include "profiler/attendance.h"

#include "launch/launcher.h"
#include "pmpi/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct attendance attendance;

/* Time to wait for marks, as an MPI may leave MPI_Init before all ranks have entered it. */
enum { PATIENCE_MS = 500, PAUSE_MS = 10 };

/* A mark of a rank: before MPI_Init with time 0, after it with the time. */
struct mark {
	uint64_t unix_ns;
	int32_t rank;
	int32_t process;
};
typedef ARRAY(struct mark) mark_list;

static char path[300];
static int file = -1;

static bool put(uint64_t unix_ns, long rank)
{
	const struct mark mark = {unix_ns, (int32_t)rank, getpid()};

	return write(file, &mark, sizeof mark) == (ssize_t)sizeof mark;
}

static uint64_t unix_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void attendance_mark(void)
{
	if (launcher_local_size() < 2 || file >= 0 || strcmp(launcher_job(), "unknown") == 0)
		return;
	snprintf(path, sizeof path, "/dev/shm/llamp-usage-ranks-%u-%s", (unsigned)getuid(),
		 launcher_job());
	file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (file >= 0 && put(0, launcher_rank(NULL)))
		return;
	if (file >= 0)
		close(file);
	file = -1;
}

/* Read all marks.  Returns the number of those before MPI_Init, or -1. */
static int read_marks(mark_list *marks)
{
	struct error err;
	ssize_t length;
	int before = 0;

	marks->count = 0;
	do {
		if (array_reserve(marks, 64, &err) < 0)
			return -1;
		length = pread(file, marks->items + marks->count, 64 * sizeof *marks->items,
			       (off_t)(marks->count * sizeof *marks->items));
		if (length > 0)
			marks->count += (size_t)length / sizeof *marks->items;
	} while (length > 0);
	for (size_t i = 0; i < marks->count; i++)
		before += marks->items[i].unix_ns == 0;
	return before;
}

/* Wait for `ranks` marks, but not for long. */
static int wait_for_marks(mark_list *marks, int ranks)
{
	static const struct timespec pause_time = {.tv_nsec = PAUSE_MS * 1000000};
	int before;

	for (int waited = 0; (before = read_marks(marks)) < ranks && waited < PATIENCE_MS;
	     waited += PAUSE_MS)
		nanosleep(&pause_time, NULL);
	return before;
}

/* Take the ranks and the time from the marks.  Returns false if they do not tell the ranks. */
static bool take_marks(const mark_list *marks)
{
	bool have_time = false, have_own = false;
	struct error err;

	for (size_t i = 0; i < marks->count; i++) {
		const struct mark *mark = &marks->items[i];

		if (mark->unix_ns && !have_time)
			attendance.name_ns = mark->unix_ns;
		have_time |= mark->unix_ns != 0;
		if (mark->unix_ns)
			continue;
		if (mark->rank < 0 || mark->rank >= process.size ||
		    array_push(&attendance.ranks, mark->rank, &err) < 0)
			return false;
		have_own |= mark->rank == process.rank && mark->process == getpid();
	}
	attendance.first = marks->items[0].process == getpid();
	return have_own;
}

/* Leave the mark after MPI_Init, and read the others if `take`. */
static void read_mark_file(bool take)
{
	const long node = launcher_local_size();
	const int ranks = node < process.size ? (int)node : process.size;
	mark_list marks = {0};
	int before;

	/* The first of these names the run, so it has to be there before the marks are read. */
	if (put(attendance.name_ns, process.rank)) {
		before = take ? wait_for_marks(&marks, ranks) : read_marks(&marks);
		attendance.known = take && before > 0 && take_marks(&marks);
		attendance.whole = attendance.known && before >= ranks;
		/* The last one removes the file. */
		if (before >= 0 && marks.count >= 2 * (size_t)before)
			unlink(path);
	}
	array_release(&marks);
	close(file);
	file = -1;
}

void attendance_read(void)
{
	const bool again = attendance.name_ns != 0; /* sessions have begun before MPI_Init */
	const int32_t own = process.rank;
	struct error err;

	if (!again) {
		attendance.name_ns = unix_now();
		attendance.first = process.size == 1 || launcher_local_size() == 1;
	}
	if (file >= 0) {
		read_mark_file(!again);
	} else if (again) {
		return;
	} else if (process.size == 1 || launcher_local_size() == 1) {
		attendance.known = array_push(&attendance.ranks, own, &err) == 0;
		attendance.whole = attendance.known;
	}
	attendance.one_node = attendance.whole && attendance.ranks.count == (size_t)process.size;
}
