/*
 * From what each rank knows to the definitions of the archive.
 *
 * Every rank reports its strings and communicators as words, which can be sent.
 * Who has all reports numbers them, and replies to each rank what its numbers
 * are in the archive.
 */
#ifndef TRACE_UNIFY_H
#define TRACE_UNIFY_H

#include "common/number_map.h"
#include "trace/assemble/replay.h"

struct report_words {
	ARRAY(uint64_t) list;
};

/* Append a rank's report: of its journal, and of its trace with the strings in it. */
int unify_report(struct report_words *words, const struct facts *facts,
		 const struct trace_rank *rank, const struct string_table *strings,
		 struct error *err);

/* A communicator as reported; names and members are in the reports. */
struct unified_comm {
	uint64_t key, parent_key, depth;
	size_t order;		/* of the reports */
	uint32_t id;
	struct trace_comm_definition definition;
};

struct unified_window {
	uint64_t key;
	size_t order;		/* of the reports */
	uint32_t id;
	struct trace_window_definition definition;
};

/* Zero bytes are valid. */
struct unified {
	ARRAY(struct trace_rank) ranks;
	ARRAY(struct unified_comm) entries;	/* sorted by key */
	ARRAY(struct trace_comm_definition) comms;
	ARRAY(struct unified_window) window_entries;	/* sorted by key */
	ARRAY(struct trace_window_definition) windows;
	ARRAY(struct trace_group_definition) groups;
	struct number_map groups_by_hash;	/* of members; second: of equal hashes */
	struct string_table strings;
	uint64_t world_key;
	bool complete;
	/* For each rank: the ids of its strings, communicators, windows, groups. */
	ARRAY(uint32_t) replies;
	ARRAY(int) reply_counts;
};

/*
 * Unify the reports of all ranks; that of rank r is at words[starts[r]].  They
 * must outlive the result.
 */
int unify(struct unified *all, const uint64_t *words, const int *starts, uint32_t ranks,
	  struct error *err);

/* A rank's reply, as what trace_writer_map takes. */
struct trace_maps unify_maps(const uint32_t *reply, const struct facts *facts,
			     const struct string_table *strings);

/* Write the definitions with the writer of rank 0. */
int unified_define(struct unified *all, struct trace_writer *writer,
		   const struct facts_property *properties, size_t property_count,
		   struct error *err);

void unified_release(struct unified *all);

#endif
