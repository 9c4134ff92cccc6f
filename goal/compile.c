/* Compiling GOAL text to an image: find the ranks first, then read them by all processors. */
#include "goal/image.h"

#include "common/memory.h"
#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "goal/text.h"

#include <stdbool.h>

struct compiler {
	struct goal_text text;		/* not moved while the ranks are read */
	const uint8_t **begins;		/* where each rank and the end are searched */
	struct goal_writer writer;
	bool fits;			/* its memory was estimated, and is available */
};

struct compiler_state {
	struct goal_text text;
	struct goal_block block;
};

/*
 * Find the first '}' from `at` on outside comments, or `end`.  It ends a rank.  Text with a '}'
 * elsewhere is refused when the rank is read.
 */
static const uint8_t *find_brace(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *brace = NULL;

	for (;;) {
		const uint8_t *slash, *close;

		/* Look for a brace only once, also if several comments precede it. */
		if (!brace || brace < at)
			brace = memchr(at, '}', (size_t)(end - at));
		if (!brace)
			return end;
		slash = memchr(at, '/', (size_t)(brace - at));
		if (!slash)
			return brace;
		/* The slash begins no comment: the brace comes after it. */
		if (slash[1] == '/') {
			close = memchr(slash, '\n', (size_t)(end - slash));
			at = close ? close + 1 : end;
		} else if (slash[1] == '*') {
			close = memmem(slash + 2, (size_t)(end - slash - 2), "*/", 2);
			at = close ? close + 2 : end;
		} else {
			at = slash + 1;
		}
	}
}

static void find_rank_texts(struct compiler *compiler)
{
	const uint8_t *at = compiler->text.at;

	for (uint32_t rank = 0; rank <= compiler->text.rank_count; rank++) {
		compiler->begins[rank] = at;
		at = find_brace(at, compiler->text.end);
		if (at < compiler->text.end)
			at++;
	}
}

static int make_rank(void *shared, void *worker, uint32_t rank, struct error *err)
{
	const struct compiler *compiler = shared;
	struct compiler_state *state = worker;
	struct goal_text *text = &state->text;

	text->start = compiler->text.start;
	text->end = compiler->text.end;
	text->name = compiler->text.name;
	text->rank_count = compiler->text.rank_count;
	text->at = compiler->begins[rank];
	text->err = err;
	TRY(goal_text_rank(text, rank));
	return goal_builder_encode(&text->builder, &state->block, err);
}

/* Estimate the memory for the rest once a sixteenth of the text is read. */
static int check_image_memory(struct compiler *compiler, const uint8_t *at, struct error *err)
{
	const double whole = (double)(compiler->text.end - compiler->text.start);
	const double done = (double)(at - compiler->text.start) / whole;
	const double so_far = (double)compiler->writer.image.count;

	if (compiler->fits || done < 1.0 / 16)
		return 0;
	compiler->fits = true;
	if (memory_require((uint64_t)(so_far / done - so_far), "reading the graph", err) < 0)
		return error_prefix(err, "%s", compiler->text.name);
	return 0;
}

static int take_rank(void *shared, void *worker, uint32_t rank, struct error *err)
{
	struct compiler *compiler = shared;
	const struct compiler_state *state = worker;

	(void)rank;
	TRY(goal_writer_block(&compiler->writer, &state->block, err));
	progress_show((uint64_t)(state->text.at - compiler->text.start),
		      (uint64_t)(compiler->text.end - compiler->text.start));
	return check_image_memory(compiler, state->text.at, err);
}

static void release_state(void *worker)
{
	struct compiler_state *state = worker;

	goal_text_release(&state->text);
}

static int compile_ranks(struct compiler *compiler, struct error *err)
{
	const struct parallel_work work = {
		.make = make_rank, .take = take_rank, .shared = compiler,
		.state_bytes = sizeof(struct compiler_state), .release = release_state,
	};
	const uint32_t rank_count = compiler->text.rank_count;
	const size_t bytes = (size_t)(compiler->text.end - compiler->text.start);

	TRY(allocate(&compiler->begins, (size_t)rank_count + 1, sizeof *compiler->begins, err));
	find_rank_texts(compiler);
	TRY(parallel_run(&work, rank_count, parallel_threads(bytes), err));
	compiler->text.at = compiler->begins[rank_count];
	return goal_text_end(&compiler->text);
}

int goal_compile(const struct input *text, const char *name, struct input *image,
		 struct error *err)
{
	struct compiler compiler = {
		.text = {
			.start = text->bytes, .at = text->bytes, .end = text->bytes + text->count,
			.name = name, .err = err,
		},
	};
	int result;

	if (text->count == 0)
		return error_set(err, STATUS_DATA, "%s: the file is empty", name);
	TRY(goal_text_rank_count(&compiler.text));
	TRY(goal_writer_open_memory(&compiler.writer, compiler.text.rank_count, err));
	result = compile_ranks(&compiler, err);
	if (result == 0)
		result = goal_writer_finish(&compiler.writer, image, err);
	else
		goal_writer_discard(&compiler.writer);
	free(compiler.begins);
	return result;
}
