#include "usage/log/node_file.h"

#include "trace/call/mpi_functions.h"
#include "usage/log/node_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct node_file {
	char path[PATH_MAX];
	dev_t device;
	ino_t inode;
	pid_t process;
	struct node_header *header;
	struct node_slot *slot;
	void *lock; /* mapping that keeps the lock; children do not inherit it */
	struct node_file *next;
};

/* All that this process joined.  None is freed, as a thread may be in a call when its file is left. */
static struct {
	pthread_mutex_t lock;
	struct node_file *first;
} joined = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Bytes of a table that are reserved at first, and doubled until it is whole. */
enum { FIRST_BYTES = 20 << 10 };

const char *node_file_directories(void)
{
	const char *directories = getenv("LLAMP_USAGE_PARTIAL");

	return directories && *directories ? directories : "/dev/shm:/var/tmp";
}

/* ------------------------------------------------------------------ locks */

static struct flock lock_of(uint32_t first, uint32_t count)
{
	return (struct flock){.l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_start = NODE_LOCKS + first,
			      .l_len = count};
}

bool node_lock(int file, uint32_t first, uint32_t count)
{
	struct flock lock = lock_of(first, count);

	return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

bool node_is_locked(int file, uint32_t first, uint32_t count)
{
	struct flock lock = lock_of(first, count);

	return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* ---------------------------------------------------------- parts of a file */

static size_t whole_pages(size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* Reserve whole pages of the file.  Exceeding the limit of file sizes would raise a signal. */
static int reserve(int file, uint64_t begin, size_t bytes)
{
	struct rlimit limit;
	int code;

	bytes = whole_pages(bytes);
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    begin + bytes > limit.rlim_cur)
		return errno = EFBIG, -1;
	do
		code = posix_fallocate(file, (off_t)begin, (off_t)bytes);
	while (code == EINTR);
	return code ? (errno = code, -1) : 0;
}

static void *map(int file, uint64_t begin, size_t bytes)
{
	void *mapped = mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file,
			    (off_t)begin);

	return mapped == MAP_FAILED ? NULL : mapped;
}

/* Claim units of the file: the first one, or 0 with errno set. */
static uint32_t claim_units(struct node_header *header, uint32_t count)
{
	const uint32_t first = __atomic_fetch_add(&header->units, count, __ATOMIC_RELAXED);

	/* What was added to a file that is full stays: others find it full, too. */
	return first > 0 && first <= NODE_MOST_UNITS - count ? first : (errno = EFBIG, 0);
}

/* ------------------------------------------------------------- making a file */

static void put_header_text(struct node_header *header, size_t *used, const char *text)
{
	/* Leave room for the ends of all strings. */
	const size_t most = sizeof header->text - 16;
	const size_t length = text && *used < most ? strnlen(text, most - *used) : 0;

	memcpy(header->text + *used, text ? text : "", length);
	*used += length + 1;
}

static void fill_header(struct node_header *header, const struct node_job *job)
{
	const struct job_log *log = job->log;
	size_t used = 0;

	header->version = NODE_VERSION;
	header->functions = MPI_FUNCTION_COUNT;
	header->args_hash = log->args_hash;
	header->start_unix_ns = log->start_unix_ns;
	header->ranks = log->ranks;
	header->nodes = log->nodes;
	header->level_asked = (uint32_t)log->level_asked;
	header->level_given = (uint32_t)log->level_given;
	header->units = 1;
#define STRING(name) put_header_text(header, &used, log->name);
	NODE_STRINGS(STRING)
#undef STRING
	put_header_text(header, &used, job->host);
	put_header_text(header, &used, job->log_directory);
	header->magic = NODE_MAGIC;
}

/* Make the file whole under another name, then give it its own: others never see half of it. */
static int make_file(const char *path, const struct node_job *job)
{
	char made[PATH_MAX];
	struct node_header *header = NULL;
	int file, error;

	if (snprintf(made, sizeof made, "%s.%ld", path, (long)getpid()) >= (int)sizeof made)
		return errno = ENAMETOOLONG, -1;
	file = open(made, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return -1;
	if (reserve(file, 0, sizeof *header) == 0)
		header = map(file, 0, sizeof *header);
	if (header) {
		fill_header(header, job);
		munmap(header, whole_pages(sizeof *header));
	}
	error = !header || (link(made, path) < 0 && errno != EEXIST) ? errno : 0;
	unlink(made);
	close(file);
	return error ? (errno = error, -1) : 0;
}

/* ------------------------------------------------------------------- joining */

/* Whether the file is ours and of this job; it may be what somebody else has put in our way. */
static bool is_of_job(int file, const struct node_header *header, const struct node_job *job)
{
	struct stat status;

	return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	       status.st_nlink > 0 && header->magic == NODE_MAGIC &&
	       header->version == NODE_VERSION && header->functions == MPI_FUNCTION_COUNT &&
	       header->start_unix_ns == job->log->start_unix_ns && header->ranks == job->log->ranks;
}

/* A file that exists is as long as its header: it is reserved before the file gets its name. */
static struct node_header *map_header(int file)
{
	struct stat status;

	if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode) ||
	    (size_t)status.st_size < sizeof(struct node_header))
		return errno = EINVAL, NULL;
	return map(file, 0, sizeof(struct node_header));
}

static struct node_slot *make_slot(int file, struct node_header *header, uint32_t number,
				   const struct node_job *job)
{
	const size_t bytes = sizeof(struct node_slot) + NODE_THREADS * sizeof(uint32_t);
	const uint32_t unit = claim_units(header, 1);
	struct node_slot *slot;

	if (!unit || reserve(file, (uint64_t)unit * NODE_UNIT, bytes) < 0)
		return NULL;
	slot = map(file, (uint64_t)unit * NODE_UNIT, bytes);
	if (!slot)
		return NULL;
	slot->rank = job->rank;
	slot->state = NODE_RUNNING;
	slot->process = getpid();
	slot->begin_ticks = job->begin_ticks;
	slot->ticks_per_s = job->ticks_per_s;
	slot->begin_ns = job->begin_ns;
	slot->before_ns = job->before_ns;
	for (unsigned i = 0; i < JOB_COUNTER_END; i++)
		slot->counters[i] = USAGE_UNKNOWN;
	__atomic_store_n(&header->slot_units[number], unit, __ATOMIC_RELEASE);
	return slot;
}

/*
 * Take a slot: lock its byte by lock_file, an opening of the file of its own, which a mapping keeps.
 * `collect` locks all of them when it has found nobody, and removes the file: then this fails.
 */
static int take_slot(struct node_file *node, int file, int lock_file, const struct node_job *job)
{
	const size_t page = whole_pages(1);
	const uint32_t number = __atomic_fetch_add(&node->header->slots, 1, __ATOMIC_RELAXED);
	struct stat status;

	if (number >= NODE_SLOTS)
		return errno = EUSERS, -1;
	if (!node_lock(lock_file, number, 1))
		return -1;
	if (fstat(file, &status) < 0 || status.st_nlink == 0)
		return errno = ENOENT, -1;
	node->device = status.st_dev;
	node->inode = status.st_ino;
	node->slot = make_slot(file, node->header, number, job);
	if (!node->slot)
		return -1;
	node->lock = mmap(NULL, page, PROT_READ, MAP_SHARED, lock_file, 0);
	if (node->lock == MAP_FAILED)
		return node->lock = NULL, -1;
	return madvise(node->lock, page, MADV_DONTFORK);
}

static void unmap(struct node_file *node)
{
	if (node->header)
		munmap(node->header, whole_pages(sizeof *node->header));
	node->header = NULL;
}

/* Join the file of this path, which is made if there is none.  -1 with errno set. */
static int join_path(struct node_file *node, const struct node_job *job)
{
	int file, lock_file, result = -1;

	if (access(node->path, F_OK) < 0 && make_file(node->path, job) < 0)
		return -1;
	file = open(node->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0)
		return -1;
	/* Children of fork inherit all other mappings; this one must not keep the lock. */
	lock_file = open(node->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	node->header = map_header(file);
	if (lock_file >= 0 && node->header) {
		if (is_of_job(lock_file, node->header, job))
			result = take_slot(node, file, lock_file, job);
		else
			errno = EEXIST;
	}
	if (result < 0)
		unmap(node);
	if (lock_file >= 0)
		close(lock_file);
	close(file);
	return result;
}

/* Name of the job in a file name. */
static void clean_name(char *name)
{
	for (; *name; name++)
		if (*name == '/' || (unsigned char)*name < ' ')
			*name = '_';
}

static int join_in(struct node_file *node, const char *directory, const struct node_job *job)
{
	enum { NAMES = 4 };
	const struct job_log *log = job->log;
	char name[300], *whole = realpath(directory, NULL);
	int result = -1;

	if (!whole)
		return -1;
	snprintf(name, sizeof name, NODE_PREFIX "%.100s.%.50s-%llu", log->job ? log->job : "",
		 log->step ? log->step : "", (unsigned long long)log->start_unix_ns);
	clean_name(name);
	/* A name may be taken: by somebody else, by a full file, by one that is just being collected. */
	for (int i = 0; result < 0 && i < NAMES; i++) {
		char number[8] = "";

		if (i > 0)
			snprintf(number, sizeof number, "+%d", i);
		if (snprintf(node->path, sizeof node->path, "%s/%s%s" NODE_SUFFIX, whole, name,
			     number) >= (int)sizeof node->path)
			break;
		result = join_path(node, job);
	}
	free(whole);
	return result;
}

static void keep(struct node_file *node)
{
	pthread_mutex_lock(&joined.lock);
	node->next = joined.first;
	joined.first = node;
	pthread_mutex_unlock(&joined.lock);
}

int node_file_join(struct node_file **pointer, const char *directories, const struct node_job *job,
		   struct error *err)
{
	struct node_file *node;
	char directory[PATH_MAX];

	TRY(allocate(&node, 1, sizeof *node, err));
	node->process = getpid();
	for (const char *next = directories; *next;) {
		const size_t length = strcspn(next, ":");

		if (length > 0 && length < sizeof directory) {
			snprintf(directory, sizeof directory, "%.*s", (int)length, next);
			if (join_in(node, directory, job) == 0) {
				keep(node);
				*pointer = node;
				return 0;
			}
			error_set_errno(err, "%s", directory);
		}
		next += length + (next[length] == ':');
	}
	if (!*directories)
		error_set(err, STATUS_USAGE, "no directory is given");
	free(node);
	return -1;
}

struct node_slot *node_file_slot(struct node_file *node)
{
	return node->slot;
}

/* ------------------------------------------------------------------ threads */

/* Open the file again: the program may close all its files, so none stays open. */
static int reopen(const struct node_file *node)
{
	struct stat status;
	int file = open(node->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (file < 0)
		return -1;
	if (fstat(file, &status) == 0 && status.st_dev == node->device &&
	    status.st_ino == node->inode)
		return file;
	close(file);
	return errno = ESTALE, -1;
}

/* Cells of a table whose first `bytes` bytes with the thread's head exist. */
static uint32_t room_of(size_t bytes)
{
	const size_t cells = (bytes - offsetof(struct node_thread, table.cells)) /
			     sizeof(struct usage_cell);

	return (uint32_t)(cells < USAGE_CELLS ? cells : USAGE_CELLS) - 1;
}

static struct node_thread *make_thread(struct node_file *node, int file, uint32_t number)
{
	const uint32_t unit = claim_units(node->header, NODE_TABLE_UNITS);
	const uint64_t begin = (uint64_t)unit * NODE_UNIT;
	struct node_thread *thread;

	if (!unit || reserve(file, begin, FIRST_BYTES) < 0)
		return NULL;
	thread = map(file, begin, sizeof *thread);
	if (!thread)
		return NULL;
	usage_table_init(&thread->table);
	thread->table.room = room_of(whole_pages(FIRST_BYTES));
	thread->number = number;
	__atomic_store_n(&node->slot->tables[number], unit, __ATOMIC_RELEASE);
	return thread;
}

struct node_thread *node_file_thread(struct node_file *node, struct error *err)
{
	struct node_thread *thread = NULL;
	uint32_t number;
	int file;

	if (node->process != getpid()) {
		error_set(err, STATUS_LIMIT, "%s: it is the file of another process", node->path);
		return NULL;
	}
	number = __atomic_fetch_add(&node->slot->threads, 1, __ATOMIC_RELAXED);
	if (number >= NODE_THREADS) {
		error_set(err, STATUS_LIMIT, "%s: it has room for %d threads of a process",
			  node->path, NODE_THREADS);
		return NULL;
	}
	file = reopen(node);
	if (file >= 0)
		thread = make_thread(node, file, number);
	if (!thread)
		error_set_errno(err, "%s", node->path);
	if (file >= 0)
		close(file);
	return thread;
}

/* Reserve twice as much of a table.  If that fails its catch-all cell takes what comes. */
static void grow(const struct node_file *node, struct node_thread *thread)
{
	struct usage_table *table = &thread->table;
	const size_t now = whole_pages(offsetof(struct node_thread, table.cells) +
				       (table->room + 1) * sizeof(struct usage_cell));
	const size_t wanted = 2 * now < sizeof *thread ? 2 * now : sizeof *thread;
	const uint64_t begin = (uint64_t)node->slot->tables[thread->number] * NODE_UNIT;
	const int file = reopen(node);

	thread->full = file < 0 || reserve(file, begin + now, wanted - now) < 0;
	if (!thread->full)
		table->room = room_of(whole_pages(wanted));
	if (file >= 0)
		close(file);
}

struct usage_cell *node_file_cell(struct node_file *node, struct node_thread *thread,
				  struct usage_key key)
{
	struct usage_table *table = &thread->table;

	if (table->count == table->room && table->room < USAGE_CELLS - 1 && !thread->full &&
	    node->process == getpid())
		grow(node, thread);
	return usage_cell(table, key);
}

/* --------------------------------------------------------------------- end */

void node_file_state(struct node_file *node, enum node_state state)
{
	if (node && node->process == getpid())
		__atomic_store_n(&node->slot->state, (uint32_t)state, __ATOMIC_RELEASE);
}

void node_file_leave(struct node_file *node, bool remove)
{
	int file;

	if (!node || node->process != getpid())
		return;
	file = remove ? reopen(node) : -1;
	if (file < 0)
		return;
	unlink(node->path);
	close(file);
}
