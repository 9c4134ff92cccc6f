#include "llamp/advise/withhold.h"

#include "common/text.h"
#include "common/units.h"
#include "llamp/advise/change.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Limits: of |T / traced - 1|, of the path that is unknown. */
static const double most_error = 0.1, most_unknown = 0.01;

/* What recording a call takes (bench/tracing), and the most that all calls of a rank may take of the run. */
static const double record_ns = 100, most_recording = 0.05;

/* The most that may be in calls that the model takes for computation. */
static const double most_not_modelled = 0.1;

static void add(struct reasons *reasons, char *text)
{
	reasons->texts[reasons->count++] = text;
}

static int find_crowded(struct reasons *reasons, const struct model *model, struct error *err)
{
	const char *crowded = model->calls->origin.crowded;
	char *text;

	if (!crowded || !*crowded)
		return 0;
	TRY(change_text(&text, err, "ranks waited for cores: %s", crowded));
	add(reasons, text);
	return 0;
}

/* -------------------------------------------------------------- what is lacking */

static void write_count(FILE *stream, uint64_t count, const char *what)
{
	if (count)
		fprintf(stream, ", %" PRIu64 " %s%s", count, what, plural(count));
}

static int find_incomplete(struct reasons *reasons, const struct run_quality *quality,
			   struct error *err)
{
	char said[400] = "";
	FILE *stream = fmemopen(said, sizeof said, "w");
	char *text;

	if (!stream)
		return error_set_memory(err, sizeof said);
	if (quality->ended_early)
		fputs(", some ranks ended early", stream);
	write_count(stream, quality->unmatched_sends, "unmatched send");
	write_count(stream, quality->unmatched_receives, "unmatched receive");
	write_count(stream, quality->lacking, "incomplete collective");
	write_count(stream, quality->incomplete, "incomplete request");
	write_count(stream, quality->unfinished, "unfinished call");
	fclose(stream);
	if (!*said)
		return 0;
	TRY(change_text(&text, err, "the trace is not complete%s%s", *said == ',' ? ":" : "",
			said + (*said == ',')));
	add(reasons, text);
	return 0;
}

static int find_refusal(struct reasons *reasons, const struct run_quality *quality,
			struct error *err)
{
	char *text;

	if (!*quality->refusal)
		return 0;
	TRY(change_text(&text, err, "%s", quality->refusal));
	add(reasons, text);
	return 0;
}

static int find_unknown(struct reasons *reasons, const struct run_quality *quality,
			struct error *err)
{
	const double share = quality->runtime_ns
				     ? (double)quality->unknown_ns / (double)quality->runtime_ns
				     : 0;
	char *text;

	if (!(share > most_unknown))
		return 0;
	TRY(change_text(
		&text, err,
		"%.3g %% of the critical path of the run is unknown (critpath path), more than %g %%",
		100 * share, 100 * most_unknown));
	add(reasons, text);
	return 0;
}

/* ------------------------------------------------------------------- recording */

/*
 * Find the most calls that a rank has made.  Of a slice that begins later than the run, count from the first call with
 * operations, since calls are numbered from the start of the run.
 */
static int most_calls(const struct goal_calls *calls, bool begins_later, uint64_t *most,
		      uint32_t *of, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	struct goal_call call;
	int found = 1;

	*most = *of = 0;
	for (uint32_t rank = 0; rank < calls->rank_count && found >= 0; rank++) {
		uint64_t first = 0, last = 0;

		goal_calls_cursor_start(&cursor, calls, rank);
		for (uint32_t op = 0; (found = goal_calls_find(&cursor, op, &call, err)) == 0;
		     op = cursor.end_op) {
			if (begins_later && !first)
				first = call.number;
			last = call.number;
		}
		if (last - first > *most) {
			*most = last - first;
			*of = rank;
		}
	}
	goal_calls_cursor_release(&cursor);
	return found < 0 ? -1 : 0;
}

static int find_recording(struct reasons *reasons, const struct run_quality *quality,
			  const struct model *model, struct error *err)
{
	const double run_ns = (double)model_traced_ns(model);
	uint64_t calls;
	uint32_t rank;
	char *text;

	TRY(most_calls(model->calls, quality->begins_later, &calls, &rank, err));
	if (!(run_ns > 0) || !((double)calls * record_ns > most_recording * run_ns))
		return 0;
	TRY(change_text(&text, err,
			"rank %" PRIu32 " made %" PRIu64
			" calls, and recording them took some %.2g %% of the run,"
			" more than %g %%",
			rank, calls, 100 * (double)calls * record_ns / run_ns,
			100 * most_recording));
	add(reasons, text);
	return 0;
}

/* ----------------------------------------------------------------------- model */

static int find_not_modelled(struct reasons *reasons, double share, struct error *err)
{
	char *text;

	if (!(share > most_not_modelled))
		return 0;
	TRY(change_text(
		&text, err,
		"%.3g %% of the time is in calls that are not modelled, more than %g %% (schedgen names them)",
		100 * share, 100 * most_not_modelled));
	add(reasons, text);
	return 0;
}

static int find_untrue(struct reasons *reasons, double error, struct error *err)
{
	char *text;

	if (!(fabs(error) > most_error))
		return 0;
	TRY(change_text(
		&text, err,
		"T is %.4g times the traced run time, more than %g %% off, so the model is not that of this run; measure"
		" its parameters (llamp-measure params), name its MPI (--preset), or tell when its messages move (--progress)",
		error + 1, 100 * most_error));
	add(reasons, text);
	return 0;
}

int reasons_find(struct reasons *reasons, const struct run_quality *quality,
		 const struct model *model, double not_modelled, double error, struct error *err)
{
	*reasons = (struct reasons){0};
	TRY(find_crowded(reasons, model, err));
	TRY(find_incomplete(reasons, quality, err));
	TRY(find_refusal(reasons, quality, err));
	TRY(find_unknown(reasons, quality, err));
	TRY(find_recording(reasons, quality, model, err));
	TRY(find_not_modelled(reasons, not_modelled, err));
	return find_untrue(reasons, error, err);
}

void reasons_release(struct reasons *reasons)
{
	for (size_t i = 0; i < reasons->count; i++)
		free(reasons->texts[i]);
	*reasons = (struct reasons){0};
}
