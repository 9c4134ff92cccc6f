/* Where journals are: their files and folders, and who may use a directory. */
#include "trace/call/trace_names.h"
#include "trace/journal/journal_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool journal_path(char path[static 4096], const struct journal_place *place)
{
	int length = snprintf(path, 4096, "%s/journal/%u", place->directory, place->rank);

	if (place->thread && length < 4096)
		length += snprintf(path + length, 4096 - (size_t)length, ".%u", place->thread);
	return length < 4096;
}

bool journal_part_path(char path[static 4096], const char *directory, uint32_t rank, unsigned number)
{
	return snprintf(path, 4096, "%s/journal/%u-%u.efg", directory, rank, number) < 4096;
}

bool journal_is_written(const struct journal_place *place)
{
	char path[4096];
	bool written;
	int file;

	if (!journal_path(path, place))
		return false;
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	written = flock(file, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	close(file);
	return written;
}

static int refuse_archive(const char *directory, struct error *err)
{
	char path[4200];

	snprintf(path, sizeof path, "%s/" ARCHIVE_FILE_NAME, directory);
	if (access(path, F_OK) < 0)
		snprintf(path, sizeof path, "%s/" FLOW_FILE_NAME, directory);
	return access(path, F_OK) < 0 ? 0 : error_set(err, STATUS_DATA,
						      "%s: there is a trace already, of another run",
						      directory);
}

static int refuse_unfinished(const char *directory, struct error *err)
{
	return error_set(err, STATUS_DATA,
			 "%s already holds an unfinished trace (another run may be writing it); use"
			 " another -o, or --recover once that run has ended", directory);
}

/* Create the folders in which `path` is. */
static int make_folders_of(const char *path, struct error *err)
{
	char parent[4200];

	snprintf(parent, sizeof parent, "%s", path);
	for (char *slash = strchr(parent + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(parent, 0777) < 0 && errno != EEXIST)
			return error_set_errno(err, "%s", parent);
		*slash = '/';
	}
	return 0;
}

int journal_make_folders(const struct journal *journal, const char *directory,
				    struct error *err)
{
	TRY(refuse_archive(directory, err));
	TRY(make_folders_of(journal->path, err));
	return access(journal->path, F_OK) < 0 ? 0 : refuse_unfinished(directory, err);
}

int journal_claim(const char *directory, struct error *err)
{
	char path[4200];
	int made;

	TRY(refuse_archive(directory, err));
	snprintf(path, sizeof path, "%s/journal", directory);
	/* Another run that gives up here may remove the directory between the two, while it is empty. */
	do {
		TRY(make_folders_of(path, err));
		made = mkdir(path, 0777);
	} while (made < 0 && errno == ENOENT);
	if (made < 0)
		return errno == EEXIST ? refuse_unfinished(directory, err)
				       : error_set_errno(err, "%s", path);
	/* That other run may have completed its archive since, and removed its journals. */
	if (refuse_archive(directory, err) < 0) {
		rmdir(path);
		return -1;
	}
	return 0;
}

void journal_remove_folder(char *path)
{
	for (int i = 0; i < 2; i++) {
		*strrchr(path, '/') = 0;
		rmdir(path);
	}
}

static bool ended_path(char path[static 4096], const char *directory)
{
	return snprintf(path, 4096, "%s/journal/ended", directory) < 4096;
}

int journal_rank_ended(const char *directory, uint32_t ranks, bool *last, struct error *err)
{
	char path[4096];
	int file, result = 0;

	if (!ended_path(path, directory))
		return error_set(err, STATUS_DATA, "%s: the name is too long", directory);
	file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	/* Append one byte for each rank.  The offset after it is different for each. */
	if (file < 0 || write(file, "", 1) != 1)
		result = error_set_errno(err, "%s", path);
	*last = result == 0 && lseek(file, 0, SEEK_CUR) == (off_t)ranks;
	if (file >= 0)
		close(file);
	return result;
}

void journal_remove(const char *directory, uint32_t rank, uint32_t threads)
{
	char path[4096];

	for (uint32_t thread = 0; thread < threads; thread++)
		if (journal_path(path, &(struct journal_place){directory, rank, thread}))
			unlink(path);
	for (unsigned part = 0; part < JOURNAL_PARTS; part++)
		if (journal_part_path(path, directory, rank, part))
			unlink(path);
	if (!ended_path(path, directory))
		return;
	unlink(path);
	journal_remove_folder(path);
}
