#include "trace/journal/journal_writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static struct journal *new_journal(uint64_t begin_ns, size_t segment_bytes, struct error *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct journal *journal;

	if (allocate(&journal, 1, sizeof *journal, err) < 0)
		return NULL;
	journal->segment_bytes = (segment_bytes + page - 1) / page * page;
	journal->last_ns = begin_ns;
	return journal;
}

int journal_create(struct journal **pointer, const struct journal_place *place, uint32_t ranks,
		   uint64_t begin_ns, size_t segment_bytes, struct error *err)
{
	struct journal *journal = new_journal(begin_ns, segment_bytes, err);

	if (!journal)
		return -1;
	if (!journal_path(journal->path, place)) {
		free(journal);
		return error_set(err, STATUS_DATA, "%s: the name is too long", place->directory);
	}
	if (journal_make_folders(journal, place->directory, err) < 0) {
		free(journal);
		return -1;
	}
	if (journal_map_first(journal, O_CREAT | O_EXCL, err) < 0) {
		journal_remove_folder(journal->path);
		free(journal);
		return -1;
	}
	*pointer = journal;
	return journal_put_begin(journal, place, ranks, err);
}

int journal_record_sites(struct journal *journal, struct error *err)
{
	return journal_sites_make(&journal->sites, err);
}

int journal_create_unnamed(struct journal **pointer, const struct journal_place *place,
			   uint32_t ranks, uint64_t begin_ns, size_t segment_bytes,
			   struct error *err)
{
	struct journal *journal = new_journal(begin_ns, segment_bytes, err);

	if (!journal)
		return -1;
	journal->unnamed = true;
	snprintf(journal->path, sizeof journal->path, "%s", place->directory);
	if (journal_map_first(journal, 0, err) < 0) {
		free(journal);
		return -1;
	}
	*pointer = journal;
	return journal_put_begin(journal, place, ranks, err);
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	journal_unmap(journal);
	journal_sites_free(journal->sites);
	free(journal);
}
