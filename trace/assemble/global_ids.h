/*
 * Global ids: the definitions of the archive from the definitions of each rank.
 *
 * Every rank reports its strings and communicators in a message of 64-bit words.
 * Rank 0 numbers the contents of all messages and replies to each rank with the ids
 * that its own numbers have in the archive.
 */
#ifndef TRACE_GLOBAL_IDS_H
#define TRACE_GLOBAL_IDS_H

#include "common/number_map.h"
#include "trace/assemble/ids_words.h"
#include "trace/assemble/journal_to_otf2.h"

/* Append the message of a rank: summary of its journals, its locations, its strings. */
int rank_message_add(struct rank_message *message, const struct rank_summary *summary,
		     const struct trace_rank *rank, const struct string_table *strings,
		     struct error *err);

/* A communicator as reported.  Name and members lie in the messages. */
struct global_comm {
	uint64_t key, parent_key, depth;
	size_t order;		/* in the messages */
	uint32_t id;
	struct trace_comm_definition definition;
};

struct global_window {
	uint64_t key;
	size_t order;		/* in the messages */
	uint32_t id;
	struct trace_window_definition definition;
};

/* The reply to a rank: its first word in `replies`, and numbers of ids. */
struct global_reply {
	size_t first, strings, comms, windows, groups;
};

/* Zero bytes are valid. */
struct global_ids {
	ARRAY(struct trace_rank) ranks;
	ARRAY(struct global_comm) entries;	/* sorted by key */
	ARRAY(struct trace_comm_definition) comms;
	ARRAY(struct global_window) window_entries;	/* sorted by key */
	ARRAY(struct trace_window_definition) windows;
	ARRAY(struct trace_group_definition) groups;
	struct number_map groups_by_hash;	/* by hash of members; second: number among equal hashes */
	struct string_table strings;
	uint64_t world_key;
	bool complete, has_sites, has_below;
	/* For each rank: the ids of its strings, communicators, windows, groups. */
	ARRAY(uint32_t) replies;
	ARRAY(int) reply_counts;
	ARRAY(struct global_reply) parts; /* of each rank */
};

/*
 * Number the reports of all ranks.  The message of rank r begins at messages[starts[r]].  Messages
 * must outlive the result.
 */
int global_ids_number(struct global_ids *all, const uint64_t *messages, const int *starts,
		      uint32_t ranks, struct error *err);

/* The reply to a rank, as trace_writer_map takes it. */
struct trace_maps global_ids_maps(const uint32_t *reply, const struct rank_summary *summary,
				  const struct string_table *strings);

/* The reply to a rank, on the process that has numbered all. */
struct trace_maps global_ids_maps_of(const struct global_ids *all, uint32_t rank);

/* Write the definitions with the writer of rank 0. */
int global_ids_define(struct global_ids *all, struct trace_writer *writer,
		      const struct summary_property *properties, size_t property_count,
		      struct error *err);

void global_ids_release(struct global_ids *all);

#endif
