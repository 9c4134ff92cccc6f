#include "common/input.h"

#include "common/array.h"
#include "common/memory.h"
#include "common/output.h"

#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Read a file of unknown size up to `most` bytes or more.  Check the memory whenever the room
 * doubles.
 */
static int read_all(struct input *input, int file, const char *path, size_t most, struct error *err)
{
	enum { LEAST_ROOM = 1 << 16 };
	ARRAY(uint8_t) bytes = {0};

	while (bytes.count < most) {
		ssize_t got;

		/* Finding what is available takes longer than reading a small file. */
		if (bytes.capacity == bytes.count &&
		    ((bytes.capacity > 0 &&
		      memory_require(bytes.capacity, "reading the rest of it", err) < 0) ||
		     array_reserve(&bytes, LEAST_ROOM, err) < 0)) {
			error_prefix(err, "%s", path);
			goto failed;
		}
		got = read(file, bytes.items + bytes.count, bytes.capacity - bytes.count);
		if (got == 0)
			break;
		if (got < 0) {
			if (errno == EINTR)
				continue;
			error_set_errno(err, "%s: cannot be read", path);
			goto failed;
		}
		bytes.count += (size_t)got;
	}
	array_fit(&bytes);
	input->bytes = bytes.items;
	input->count = bytes.count;
	return 0;
failed:
	array_release(&bytes);
	return -1;
}

/* ----------------------------------------------------------- mapped files */

/* Smaller files are read: mapping them takes longer, above all where several threads do so. */
enum { LEAST_MAPPED = 1 << 16 };

/* Mapped file, for signal handlers, so it is never freed.  An unused one has no bytes. */
struct mapped_file {
	const uint8_t *volatile bytes;
	size_t count;
	char name[256];
	struct mapped_file *volatile next;
};
static struct mapped_file *volatile mapped_files;
static pthread_mutex_t mapped_lock = PTHREAD_MUTEX_INITIALIZER;

const char *input_at(const void *address)
{
	const uint8_t *at = address;

	for (const struct mapped_file *file = mapped_files; file; file = file->next)
		if (file->bytes && at >= file->bytes && at < file->bytes + file->count)
			return file->name;
	return "an input";
}

/* Find the entry of the mapped bytes, or with NULL an unused one. */
static struct mapped_file *find_mapped(const uint8_t *bytes)
{
	struct mapped_file *file = mapped_files;

	while (file && file->bytes != bytes)
		file = file->next;
	return file;
}

/* Note the mapped file.  Without memory it has no name in a message. */
static void list_mapped(const struct input *input, const char *path)
{
	struct mapped_file *file;

	pthread_mutex_lock(&mapped_lock);
	file = find_mapped(NULL);
	if (!file && (file = calloc(1, sizeof *file))) {
		file->next = mapped_files;
		mapped_files = file;
	}
	if (file) {
		text_show(path, file->name, sizeof file->name);
		file->count = input->count;
		file->bytes = input->bytes;
	}
	pthread_mutex_unlock(&mapped_lock);
}

static void forget_mapped(const struct input *input)
{
	struct mapped_file *file;

	pthread_mutex_lock(&mapped_lock);
	file = find_mapped(input->bytes);
	if (file)
		file->bytes = NULL;
	pthread_mutex_unlock(&mapped_lock);
}

/* ------------------------------------------------------------------- inputs */

int input_open(struct input *input, const char *path, struct error *err)
{
	return input_open_begin(input, path, SIZE_MAX, err);
}

int input_open_begin(struct input *input, const char *path, size_t most, struct error *err)
{
	struct stat status;
	int file = !strcmp(path, "-") ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	int result = -1;

	memset(input, 0, sizeof *input);
	if (file < 0) {
		error_set_errno(err, "%s: cannot be opened", path);
		/* A missing file is the user's mistake, not the system's. */
		err->status = STATUS_DATA;
		return -1;
	}
	if (output_note_open_input(path, file, err) < 0) {
		close(file);
		return -1;
	}
	if (fstat(file, &status) < 0) {
		error_set_errno(err, "%s: cannot be read", path);
	} else if (S_ISDIR(status.st_mode)) {
		error_set(err, STATUS_DATA, "%s: is a directory", path);
	} else if (S_ISREG(status.st_mode) && status.st_size >= LEAST_MAPPED) {
		void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);

		if (bytes == MAP_FAILED) {
			result = read_all(input, file, path, most, err);
		} else {
			input->bytes = bytes;
			input->count = (size_t)status.st_size;
			input->mapped = 1;
			list_mapped(input, path);
			result = 0;
		}
	} else {
		result = read_all(input, file, path, most, err);
	}
	close(file);
	return result;
}

void input_release(struct input *input)
{
	if (input->mapped) {
		forget_mapped(input);
		munmap((void *)input->bytes, input->count);
	} else {
		free((void *)input->bytes);
	}
	memset(input, 0, sizeof *input);
}
