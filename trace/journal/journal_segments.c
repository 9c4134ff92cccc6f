/* Segments of a journal: memory that is mapped from its file, one after the other. */
#include "trace/journal/journal_writer.h"

#include "common/machine/now.h"
#include "common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Reserve the next `bytes` of the file.  Check the limit of file sizes first: exceeding it raises
 * a signal.
 */
static int reserve(const struct journal *journal, int file, uint64_t begin, size_t bytes,
		   struct error *err)
{
	struct rlimit limit;
	int code;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    begin + bytes > limit.rlim_cur) {
		errno = EFBIG;
		return error_set_errno(err, "%s", journal->path);
	}
	do
		code = posix_fallocate(file, (off_t)begin, (off_t)bytes);
	while (code == EINTR);
	if (!code)
		return 0;
	errno = code;
	return error_set_errno(err, "%s", journal->path);
}

/*
 * Lock the file until journal_close.  A mapping keeps the lock after the file is closed.  Children
 * of the program do not inherit it.  A file system without locks is not an error.
 */
static void hold_lock(struct journal *journal, int file)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	int locked;

	do
		locked = flock(file, LOCK_EX);
	while (locked < 0 && errno == EINTR);
	if (locked < 0)
		return;
	journal->lock = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
	if (journal->lock == MAP_FAILED)
		journal->lock = NULL;
	else
		madvise(journal->lock, bytes, MADV_DONTFORK);
}

void journal_unmap(struct journal *journal)
{
	if (journal->segment)
		munmap(journal->segment, journal->size);
	if (journal->lock)
		munmap(journal->lock, (size_t)sysconf(_SC_PAGESIZE));
	for (size_t i = 0; i < journal->full.count; i++)
		munmap(journal->full.items[i].at, journal->full.items[i].bytes);
	array_release(&journal->full);
}

/* Open the file only here: the program may close all its files and open others. */
static int map_segment(struct journal *journal, int flags, size_t bytes, unsigned char **segment,
		       struct error *err)
{
	const uint64_t begin = journal->unnamed ? 0 : journal->file_bytes;
	int file = journal->unnamed ? scratch_file(journal->path)
				    : open(journal->path, O_RDWR | O_CLOEXEC | flags, 0666);
	void *mapped;
	int result;

	if (file < 0)
		return error_set_errno(err, "%s", journal->path);
	result = reserve(journal, file, begin, bytes, err);
	if (result == 0) {
		mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)begin);
		if (mapped == MAP_FAILED)
			result = error_set_errno(err, "%s", journal->path);
		else
			*segment = mapped;
	}
	/* The lock of the journal is that of its chunks. */
	if (result == 0 && flags & O_CREAT && !journal->home)
		hold_lock(journal, file);
	else if (result < 0 && flags & O_CREAT)
		unlink(journal->path);
	close(file);
	if (result < 0)
		return -1;
#ifdef MADV_POPULATE_WRITE
	/* Allocate the pages now, not one by one while the program computes. */
	madvise(*segment, bytes, MADV_POPULATE_WRITE);
#endif
	return 0;
}

enum { FLUSH_RECORD_BYTES = 24 };

void journal_put_flush(struct journal *journal)
{
	unsigned char *at = journal->segment + journal->used + sizeof(struct journal_header);

	*at = JOURNAL_FLUSH;
	journal_commit(journal, (size_t)(journal_put_time(journal, at + 1, now_ns()) - at));
}

int journal_next_segment(struct journal *journal, size_t payload, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), rest = journal->size - journal->used;
	size_t bytes = payload + sizeof(struct journal_header) + FLUSH_RECORD_BYTES;
	unsigned char *segment;

	bytes = bytes > journal->segment_bytes ? (bytes + page - 1) / page * page
					       : journal->segment_bytes;
	if (bytes > JOURNAL_MOST_BYTES)
		return error_set(err, STATUS_LIMIT, "%s: a record is too long", journal->path);
	if (journal->unnamed)
		TRY(array_reserve(&journal->full, 1, err));
	TRY(map_segment(journal, 0, bytes, &segment, err));
	if (rest) {
		memset(journal->segment + journal->used + sizeof(struct journal_header), 0,
		       rest - sizeof(struct journal_header));
		if (rest > sizeof(struct journal_header)) {
			journal->segment[journal->used +
					 sizeof(struct journal_header)] = JOURNAL_PAD;
			journal_commit(journal, rest - sizeof(struct journal_header));
		}
	}
	if (journal->unnamed)
		journal->full.items[journal->full.count++] =
			(struct segment){journal->segment, journal->size};
	else
		munmap(journal->segment, journal->size);
	journal->segment = segment;
	journal->size = bytes;
	journal->used = 0;
	journal->file_bytes += bytes;
	journal_put_flush(journal);
	return 0;
}

int journal_map_first(struct journal *journal, int flags, struct error *err)
{
	TRY(map_segment(journal, flags, journal->segment_bytes, &journal->segment, err));
	journal->size = journal->file_bytes = journal->segment_bytes;
	return 0;
}

uint64_t journal_size(const struct journal *journal)
{
	return journal->file_bytes;
}

/* Copy what [from, from + bytes) has of a segment that begins at `begin`. */
static void copy_segment(const unsigned char *segment, size_t size, uint64_t begin, uint64_t from,
			 unsigned char *to, size_t bytes)
{
	const uint64_t first = from > begin ? from : begin;
	const uint64_t end = from + bytes < begin + size ? from + bytes : begin + size;

	if (first < end)
		memcpy(to + (first - from), segment + (first - begin), end - first);
}

void journal_copy(const struct journal *journal, uint64_t from, unsigned char *to, size_t bytes)
{
	uint64_t begin = 0;

	for (size_t i = 0; i < journal->full.count; i++) {
		const struct segment *full = &journal->full.items[i];

		copy_segment(full->at, full->bytes, begin, from, to, bytes);
		begin += full->bytes;
	}
	copy_segment(journal->segment, journal->size, begin, from, to, bytes);
}
