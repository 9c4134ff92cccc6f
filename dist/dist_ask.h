/* Questions to other processes, and their answers (dist/dist.h). */
#ifndef DIST_ASK_H
#define DIST_ASK_H

#include "dist/dist.h"

/*
 * Answer `count` questions, which come from all processes.  The answers, in order, are zeroed.  Returns
 * 0, or -1 with *err filled.
 */
typedef int dist_answer(void *data, const void *questions, size_t count, void *answers,
			struct error *err);

struct dist_questions {
	size_t question_bytes, answer_bytes; /* each; answer_bytes may be 0 */
	dist_answer *answer;
	void *data; /* of the answering process */
	/* Fill a question of this process.  Returns the process that is asked. */
	uint32_t (*ask)(const void *own, size_t number, void *question);
	/* Take the answer to it; NULL: there is none. */
	void (*take)(void *own, size_t number, const void *answer);
	void *own;
};

/*
 * Ask `count` questions, which may be another number on each process, in rounds of bounded memory.
 * Collective.
 */
int dist_ask(struct dist *dist, const struct dist_questions *questions, size_t count,
	     struct error *err);

#endif
