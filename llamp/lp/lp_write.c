/* The linear program as a file in CPLEX LP or MPS format. */
#include "llamp/lp/lp_internal.h"

#include "common/output.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64 };

static void name_vertex(const struct lp_model *model, const struct goal *goal, uint32_t vertex,
			char name[static NAME_BYTES])
{
	static const char *const letters[] = {
		[EVENT_START] = "",	 [EVENT_POST] = "",	[EVENT_MATCH] = "m",
		[EVENT_INJECTION] = "i", [EVENT_ARRIVAL] = "a", [EVENT_COMPLETION] = "c",
		[EVENT_WAIT] = "w",
	};
	const uint32_t event = model->graph->events[vertex];
	uint32_t rank;

	if (event == COST_EVENT_END) {
		strcpy(name, "t");
		return;
	}
	if (cost_event_op(event) >= goal->op_count) {
		snprintf(name, NAME_BYTES, "y_link_%u", cost_event_op(event) - goal->op_count);
		return;
	}
	rank = goal_rank_of(goal, cost_event_op(event));
	snprintf(name, NAME_BYTES, "y_%u_%u%s", rank,
		 cost_event_op(event) - goal->ranks[rank].first_op,
		 letters[cost_event_kind(event)]);
}

static int set_names(const struct lp_model *model, const struct goal *goal, struct error *err)
{
	const struct lp_solver *solver = model->solver;
	const struct cost_graph *graph = model->graph;
	char name[NAME_BYTES], row_name[2 * NAME_BYTES];
	int row = 1;

	for (uint32_t v = 0; v < model->loggps.variables.count; v++)
		if (model->column_of[v])
			TRY(solver->set_name(model->problem, LP_COLUMN, model->column_of[v],
					     lp_variable_name(model, v), err));
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		uint32_t place = 0;

		name_vertex(model, goal, v, name);
		TRY(solver->set_name(model->problem, LP_COLUMN, model->first_y + (int)v, name,
				     err));
		do {
			snprintf(row_name, sizeof row_name, "r_%s_%u", name, place++);
			TRY(solver->set_name(model->problem, LP_ROW, row, row_name, err));
		} while (!cost_graph_is_last(graph, (uint64_t)row++ - 1));
	}
	return 0;
}

/* Write the file; returns 1 if the solver cannot write it. */
static int write_file(struct lp_model *model, const struct goal *goal, bool mps, const char *file,
		      struct error *err)
{
	struct lp_question question;

	lp_pose(model, &model->written, (double)model->written.start_as / AS_PER_NS, false, -1,
		&question);
	if (model->written_most_ns < INFINITY)
		lp_pose_maximum(model, &model->written, model->written_most_ns, &question);
	TRY(set_names(model, goal, err));
	return model->solver->write(model->problem, &question, mps, file, err);
}

/* Find the reason: a solver keeps no errno, but one more byte fails for the same reason. */
static int cannot_write(FILE *file, struct error *err)
{
	if (fseek(file, 0, SEEK_END) != 0 || putc('\n', file) == EOF || fflush(file) != 0)
		return error_set_errno(err, "cannot be written");
	return error_set(err, STATUS_SYSTEM, "cannot be written completely");
}

/* Look for the last line, since a solver may ignore errors of closing a file, as on a full disk. */
static int check_end(FILE *file, bool mps, struct error *err)
{
	const char *last = mps ? "ENDATA\n" : "\nEnd\n";
	size_t length = strlen(last);
	char text[8];

	if (fseek(file, -(long)length, SEEK_END) != 0 || fread(text, 1, length, file) != length ||
	    memcmp(text, last, length) != 0)
		return cannot_write(file, err);
	rewind(file);
	return 0;
}

static int copy(FILE *from, FILE *to, struct error *err)
{
	char block[1 << 16];
	size_t length;

	while ((length = fread(block, 1, sizeof block, from)) > 0)
		if (fwrite(block, 1, length, to) != length)
			return error_set_errno(err, "cannot be written");
	if (ferror(from))
		return error_set_errno(err, "the model cannot be copied");
	return 0;
}

/* Write through a file, because a solver opens files by name and an output may be a pipe. */
static int write_output(struct lp_model *model, const struct goal *goal, bool mps,
			struct output *output, struct error *err)
{
	FILE *file = output->temporary ? fopen(output->temporary, "w+b") : tmpfile();
	char name[NAME_BYTES];
	int result;

	if (!file)
		return error_set_errno(err, "no temporary file");
	snprintf(name, sizeof name, "/proc/self/fd/%d", fileno(file));
	result = write_file(model, goal, mps, output->temporary ? output->temporary : name, err);
	if (result > 0)
		result = cannot_write(file, err);
	if (result == 0)
		result = check_end(file, mps, err);
	if (result == 0 && !output->temporary)
		result = copy(file, output->stream, err);
	fclose(file);
	return result;
}

int lp_write(struct lp_model *model, const struct goal *goal, const char *path, bool mps,
	     struct error *err)
{
	struct output output;

	TRY(output_open(&output, path, err));
	if (write_output(model, goal, mps, &output, err) < 0) {
		output_discard(&output);
		return error_prefix(err, "%s", path);
	}
	return output_commit(&output, err);
}
