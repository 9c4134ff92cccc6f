/* The linear program as a file in CPLEX LP or MPS format. */
#include "llamp/lp/lp_internal.h"

#include "common/output.h"
#include "common/units.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64 };

/* Name of the column of a variable.  The paper calls that of L l. */
static const char *lp_write_name(const struct lp_model *model, uint32_t variable)
{
	return variable == VARIABLE_L ? "l" : model->loggps.variables.of[variable].name;
}

static void name_vertex(const struct lp_model *model, const struct goal *goal, uint32_t vertex,
			char name[static NAME_BYTES])
{
	static const char *const letters[] = {
		[EVENT_START] = "",	  [EVENT_POST] = "",	[EVENT_MATCH] = "m",
		[EVENT_INJECTION] = "i",  [EVENT_ARRIVAL] = "a",
		[EVENT_COMPLETION] = "c", [EVENT_WAIT] = "w",
	};
	const uint32_t event = model->graph->vertices[vertex].event;
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

/* Name the rows that tie variables to the first one that moves. */
static void name_together(struct lp_model *model)
{
	const struct direction *direction = &model->written;
	const uint32_t first = direction_first(direction);
	int row = model->row_count;

	for (uint32_t v = first + 1; v < direction->count; v++) {
		char name[2 * NAME_BYTES];

		if (!direction->weight[v])
			continue;
		snprintf(name, sizeof name, "%s_with_%s", lp_write_name(model, v),
			 lp_write_name(model, first));
		glp_set_row_name(model->problem, ++row, name);
	}
}

static void set_names(struct lp_model *model, const struct goal *goal)
{
	const struct cost_graph *graph = model->graph;
	char name[NAME_BYTES], row_name[2 * NAME_BYTES];
	int row = 1;

	for (uint32_t v = 0; v < model->loggps.variables.count; v++)
		if (model->column_of[v])
			glp_set_col_name(model->problem, model->column_of[v],
					 lp_write_name(model, v));
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		uint32_t place = 0;

		name_vertex(model, goal, v, name);
		glp_set_col_name(model->problem, model->first_y + (int)v, name);
		do {
			snprintf(row_name, sizeof row_name, "r_%s_%u", name, place++);
			glp_set_row_name(model->problem, row, row_name);
		} while (!(graph->edges[row++ - 1].expression & COST_LAST_EDGE));
	}
	name_together(model);
	glp_set_prob_name(model->problem, "LogGPS");
}

/* Name the objective: T, or the variable of a tolerance, whose negative is minimised in MPS. */
static void set_objective(struct lp_model *model, bool mps)
{
	if (glp_get_obj_dir(model->problem) == GLP_MIN) {
		glp_set_obj_name(model->problem, "runtime_ns");
		return;
	}
	glp_set_obj_name(model->problem, "tolerance");
	if (!mps)
		return;
	glp_set_obj_dir(model->problem, GLP_MIN);
	for (uint32_t v = 0; v < model->loggps.variables.count; v++)
		if (model->column_of[v])
			glp_set_obj_coef(model->problem, model->column_of[v],
					 -glp_get_obj_coef(model->problem, model->column_of[v]));
}

/* Write the file; returns 1 if GLPK cannot write it. */
static int write_file(struct lp_model *model, const struct goal *goal, bool mps, const char *file,
		      struct error *err)
{
	int result;

	if (setjmp(*lp_enter()))
		return lp_failed(err);
	set_names(model, goal);
	set_objective(model, mps);
	lp_set_variables(model, &model->written, (double)model->written.start_as / AS_PER_NS,
			 GLP_LO);
	result = mps ? glp_write_mps(model->problem, GLP_MPS_FILE, NULL, file)
		     : glp_write_lp(model->problem, NULL, file);
	lp_leave();
	/* GLPK's message names the temporary file, so the caller finds the reason. */
	return result != 0 ? 1 : 0;
}

/* Find the reason: GLPK keeps no errno, but one more byte fails for the same reason. */
static int cannot_write(FILE *file, struct error *err)
{
	if (fseek(file, 0, SEEK_END) != 0 || putc('\n', file) == EOF || fflush(file) != 0)
		return error_set_errno(err, "cannot be written");
	return error_set(err, STATUS_SYSTEM, "cannot be written completely");
}

/* Look for the last line, since GLPK ignores errors of closing a file, as on a full disk. */
static int check_end(FILE *file, bool mps, struct error *err)
{
	const char *last = mps ? "ENDATA\n" : "\nEnd\n";
	size_t length = strlen(last);
	char text[8];

	if (fseek(file, -(long)length, SEEK_END) != 0 ||
	    fread(text, 1, length, file) != length || memcmp(text, last, length) != 0)
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

/* Write through a file, because GLPK opens files by name and an output may be a pipe. */
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

	TRY(lp_check(model, err));
	TRY(output_open(&output, path, err));
	if (write_output(model, goal, mps, &output, err) < 0) {
		output_discard(&output);
		return error_prefix(err, "%s", path);
	}
	return output_commit(&output, err);
}
