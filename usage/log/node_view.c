#include "usage/log/node_view.h"

#include "common/text.h"
#include "trace/call/mpi_functions.h"
#include "usage/log/node_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More tables than this are not looked at: a file that claims them is not ours. */
enum { MOST_TABLES = 16384 };

struct reader {
	const char *path;
	int file;
	uint64_t size;
	unsigned tables;
};

/* -------------------------------------------------------------- bytes of it */

/* Whether `bytes` bytes of a unit are in the file. */
static bool in_file(const struct reader *reader, uint32_t unit, uint64_t offset, uint64_t bytes)
{
	return unit > 0 && unit < NODE_MOST_UNITS &&
	       (uint64_t)unit * NODE_UNIT + offset + bytes <= reader->size;
}

/* The file may become shorter at any time: what is missing is zero. */
static void read_at(const struct reader *reader, uint64_t offset, void *into, size_t bytes)
{
	char *at = into;

	memset(into, 0, bytes);
	while (bytes > 0) {
		const ssize_t got = pread(reader->file, at, bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		at += got, offset += (uint64_t)got, bytes -= (size_t)got;
	}
}

static uint64_t to_ns(uint64_t ticks, uint64_t ticks_per_s)
{
	const unsigned __int128 ns = (unsigned __int128)ticks * 1000000000u / ticks_per_s;

	return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX - 1;
}

/* ------------------------------------------------------------------ header */

/* Copy a text, with '?' for what nobody can read. */
static char *clean_text(const char *text)
{
	char *copy = strdup(text);

	for (char *at = copy; at && *at;) {
		const int bytes = text_character_bytes(at);

		if (bytes == 0 || (unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
		at += bytes > 0 ? bytes : 1;
	}
	return copy;
}

/* Take the next string of the header; NULL if it is empty. */
static int next_text(const struct node_header *header, size_t *used, char **text, struct error *err)
{
	const char *at = header->text + *used;

	*used += strlen(at) + (*used + strlen(at) < sizeof header->text - 1);
	*text = NULL;
	if (!*at)
		return 0;
	*text = clean_text(at);
	return *text ? 0 : error_set_memory(err, strlen(at));
}

static enum job_level level(uint32_t value)
{
	return value < JOB_LEVELS ? (enum job_level)value : JOB_LEVEL_UNKNOWN;
}

static int read_header(struct node_view *view, const struct node_header *header, struct error *err)
{
	struct job_log *log = &view->log;
	size_t used = 0;

	log->args_hash = header->args_hash;
	log->start_unix_ns = header->start_unix_ns;
	log->ranks = header->ranks;
	log->nodes = header->nodes;
	log->level_asked = level(header->level_asked);
	log->level_given = level(header->level_given);
#define STRING(name) TRY(next_text(header, &used, &log->name, err));
	NODE_STRINGS(STRING)
#undef STRING
	TRY(next_text(header, &used, &view->host, err));
	return next_text(header, &used, &view->log_directory, err);
}

static int check_header(const struct reader *reader, const struct node_header *header,
			struct error *err)
{
	if (reader->size < sizeof *header || header->magic != NODE_MAGIC)
		return error_set(err, STATUS_DATA, "%s: it is no node file of llamp-usage",
				 reader->path);
	if (header->version != NODE_VERSION || header->functions != MPI_FUNCTION_COUNT)
		return error_set(err, STATUS_DATA,
				 "%s: it is of another version of libllampusage; collect it with "
				 "the llamp-usage of that version",
				 reader->path);
	if (header->ranks == 0)
		return error_set(err, STATUS_DATA, "%s: the job has no ranks", reader->path);
	return 0;
}

/* ------------------------------------------------------------------ tables */

static bool is_key(const struct usage_key *key)
{
	return key->function < MPI_FUNCTION_COUNT && key->size_class < USAGE_SIZE_CLASSES &&
	       key->comm_class < USAGE_COMM_CLASSES && key->place < USAGE_PLACES &&
	       key->failed <= 1;
}

/* Add a cell in ticks to a table in ns. */
static void add_ticks(struct node_rank *rank, struct usage_cell cell)
{
	struct usage_key key = cell.key;

	if (cell.calls == 0)
		return;
	cell.ticks = to_ns(cell.ticks, rank->ticks_per_s);
	cell.least = to_ns(cell.least, rank->ticks_per_s);
	cell.most = to_ns(cell.most, rank->ticks_per_s);
	key.unused = 0;
	usage_cell_merge(usage_cell(rank->table, key), &cell);
}

static void add_cells(const struct reader *reader, struct node_rank *rank, uint64_t begin,
		      uint32_t count)
{
	for (uint32_t first = 0; first < count;) {
		struct usage_cell cells[64];
		const uint32_t some = count - first < 64 ? count - first : 64;

		read_at(reader, begin + first * sizeof *cells, cells, some * sizeof *cells);
		for (uint32_t i = 0; i < some; i++)
			if (is_key(&cells[i].key))
				add_ticks(rank, cells[i]);
		first += some;
	}
}

/* Read a member of a thread's struct, which is too long to be read as a whole. */
#define READ_MEMBER(reader, begin, member, into) \
	read_at(reader, begin + offsetof(struct node_thread, member), into, sizeof *(into))

static struct node_thread_view read_thread(const struct reader *reader,
					   const struct node_rank *rank, uint64_t begin)
{
	struct node_thread_view view = {0};
	uint64_t ticks;

	READ_MEMBER(reader, begin, number, &view.number);
	READ_MEMBER(reader, begin, inside, &view.inside);
	READ_MEMBER(reader, begin, stamp_ticks, &ticks);
	/* From 1 in the file. */
	if (view.inside-- == 0 || view.inside >= MPI_FUNCTION_COUNT)
		view.inside = USAGE_REST;
	if (ticks > rank->begin_ticks)
		view.stamp_ns = to_ns(ticks - rank->begin_ticks, rank->ticks_per_s);
	return view;
}

static int add_thread(struct reader *reader, struct node_rank *rank, uint32_t unit,
		      struct error *err)
{
	const size_t cells = offsetof(struct node_thread, table.cells[1]);
	const uint64_t begin = (uint64_t)unit * NODE_UNIT;
	struct node_thread_view view;
	struct usage_cell rest;
	uint32_t count;

	if (!in_file(reader, unit, 0, cells) || reader->tables == MOST_TABLES)
		return 0;
	reader->tables++;
	view = read_thread(reader, rank, begin);
	TRY(array_push(&rank->threads, view, err));
	if (view.stamp_ns > rank->runtime_ns)
		rank->runtime_ns = view.stamp_ns;
	/* The count first: cells that come while they are read are not looked at. */
	READ_MEMBER(reader, begin, table.count, &count);
	READ_MEMBER(reader, begin, table.cells[USAGE_CATCH_ALL], &rest);
	rest.key = (struct usage_key){.function = USAGE_REST};
	add_ticks(rank, rest);
	add_cells(reader, rank, begin + cells, count < USAGE_CELLS ? count : USAGE_CELLS - 1);
	return 0;
}

/* ------------------------------------------------------------------- slots */

static void fill_rank(struct node_rank *rank, const struct node_slot *slot)
{
	rank->rank = slot->rank;
	rank->process = slot->process;
	rank->state = slot->state < NODE_STATES ? (enum node_state)slot->state : NODE_RUNNING;
	rank->before_ns = slot->before_ns;
	rank->begin_ns = slot->begin_ns;
	rank->begin_ticks = slot->begin_ticks;
	rank->ticks_per_s = slot->ticks_per_s > 0 ? slot->ticks_per_s : 1000000000u;
	memcpy(rank->counters, slot->counters, sizeof rank->counters);
}

static void free_rank(struct node_rank *rank)
{
	array_release(&rank->threads);
	free(rank->table);
}

static int add_tables(struct reader *reader, struct node_rank *rank, const struct node_slot *slot,
		      struct error *err)
{
	const uint32_t threads = slot->threads < NODE_THREADS ? slot->threads : NODE_THREADS;

	TRY(allocate(&rank->table, 1, sizeof *rank->table, err));
	usage_table_init(rank->table);
	for (uint32_t i = 0; i < threads; i++)
		TRY(add_thread(reader, rank, slot->tables[i], err));
	/* Calls that other threads make inside MPI_Finalize are not part of the run. */
	if (slot->finalize_ticks >= slot->begin_ticks && slot->finalize_ticks > 0)
		rank->runtime_ns = to_ns(slot->finalize_ticks - slot->begin_ticks,
					 rank->ticks_per_s);
	return 0;
}

static int read_slot(struct reader *reader, struct node_view *view, uint32_t unit, bool alive,
		     struct error *err)
{
	union {
		struct node_slot slot;
		char bytes[sizeof(struct node_slot) + NODE_THREADS * sizeof(uint32_t)];
	} it;
	struct node_rank rank = {.alive = alive};

	if (!in_file(reader, unit, 0, sizeof it))
		return 0;
	read_at(reader, (uint64_t)unit * NODE_UNIT, &it, sizeof it);
	if (it.slot.rank >= view->log.ranks)
		return 0;
	fill_rank(&rank, &it.slot);
	if (add_tables(reader, &rank, &it.slot, err) < 0 ||
	    array_push(&view->ranks, rank, err) < 0) {
		free_rank(&rank);
		return -1;
	}
	return 0;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct node_rank *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->process > y->process) - (x->process < y->process);
}

/* Sort the ranks, and keep one of those that say they are the same. */
static void sort_ranks(struct node_view *view)
{
	size_t count = 0;

	if (view->ranks.count == 0)
		return;
	qsort(view->ranks.items, view->ranks.count, sizeof *view->ranks.items, compare_ranks);
	for (size_t i = 0; i < view->ranks.count; i++) {
		if (count > 0 && view->ranks.items[count - 1].rank == view->ranks.items[i].rank)
			free_rank(&view->ranks.items[i]);
		else
			view->ranks.items[count++] = view->ranks.items[i];
	}
	view->ranks.count = count;
}

static int read_slots(struct reader *reader, struct node_view *view,
		      const struct node_header *header, struct error *err)
{
	const uint32_t slots = header->slots < NODE_SLOTS ? header->slots : NODE_SLOTS;

	for (uint32_t i = 0; i < slots; i++) {
		const bool alive = node_is_locked(reader->file, i, 1);

		view->alive |= alive;
		TRY(read_slot(reader, view, header->slot_units[i], alive, err));
	}
	sort_ranks(view);
	return 0;
}

/* -------------------------------------------------------------------- file */

/* Open a regular file, of any user, without waiting for the other end of a pipe. */
static int open_regular(const char *path, int mode, struct stat *status, struct error *err)
{
	const int file = open(path, mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (file < 0)
		return error_set_errno(err, "%s", path);
	if (fstat(file, status) < 0 || !S_ISREG(status->st_mode)) {
		close(file);
		return error_set(err, STATUS_DATA, "%s: it is no node file of llamp-usage", path);
	}
	return file;
}

static int read_open(struct reader *reader, struct node_view *view, struct error *err)
{
	struct node_header *header;
	int result;

	TRY(allocate(&header, 1, sizeof *header, err));
	read_at(reader, 0, header, sizeof *header);
	header->text[sizeof header->text - 1] = 0;
	result = check_header(reader, header, err);
	if (result == 0)
		result = read_header(view, header, err);
	if (result == 0)
		result = read_slots(reader, view, header, err);
	free(header);
	return result;
}

int node_view_read_file(struct node_view *view, int file, const char *path, struct error *err)
{
	struct reader reader = {.path = path, .file = file};
	struct stat status;

	*view = (struct node_view){0};
	if (fstat(file, &status) < 0)
		return error_set_errno(err, "%s", path);
	reader.size = (uint64_t)status.st_size;
	view->owner = status.st_uid;
	if (read_open(&reader, view, err) == 0)
		return 0;
	node_view_release(view);
	return -1;
}

int node_view_read(struct node_view *view, const char *path, struct error *err)
{
	struct stat status;
	const int file = open_regular(path, O_RDONLY, &status, err);
	int result;

	*view = (struct node_view){0};
	if (file < 0)
		return -1;
	result = node_view_read_file(view, file, path, err);
	close(file);
	return result;
}

void node_view_release(struct node_view *view)
{
	for (size_t i = 0; i < view->ranks.count; i++)
		free_rank(&view->ranks.items[i]);
	array_release(&view->ranks);
	free(view->host);
	free(view->log_directory);
#define STRING(name) free(view->log.name);
	NODE_STRINGS(STRING)
#undef STRING
	*view = (struct node_view){0};
}

int node_view_claim(const char *path, struct error *err)
{
	struct stat status;
	const int file = open_regular(path, O_RDWR, &status, err);

	if (file < 0)
		return access(path, F_OK) < 0 ? NODE_IN_USE : -1;
	/* It may have been removed after it was opened: by the one who had the lock. */
	if (node_lock(file, 0, NODE_SLOTS) && fstat(file, &status) == 0 && status.st_nlink > 0)
		return file;
	close(file);
	return NODE_IN_USE;
}

bool node_is_name(const char *name, bool unfinished)
{
	const char *suffix = strstr(name, NODE_SUFFIX);

	if (strncmp(name, NODE_PREFIX, strlen(NODE_PREFIX)) != 0 || !suffix)
		return false;
	suffix += strlen(NODE_SUFFIX);
	return !*suffix || (unfinished && *suffix == '.' &&
			    strspn(suffix + 1, "0123456789") == strlen(suffix + 1));
}
