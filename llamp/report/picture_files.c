#include "llamp/report/picture_files.h"

#include "common/output.h"
#include "llamp/report/pictures.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

/* Data of a picture: all programs, of which it may show one. */
struct subject {
	const struct findings *runs;
	const struct curve *const *curves;
	size_t count;
	size_t shown; /* program of a picture of one program */
};

typedef int draw_function(const struct svg *svg, const struct subject *subject, struct error *err);

static int draw_curves(const struct svg *svg, const struct subject *subject, struct error *err)
{
	return picture_curves(svg, subject->curves, subject->count, err);
}

static int draw_tolerances(const struct svg *svg, const struct subject *subject, struct error *err)
{
	return picture_tolerances(svg, subject->curves, subject->count, err);
}

static int draw_path(const struct svg *svg, const struct subject *subject, struct error *err)
{
	const struct findings *findings = &subject->runs[subject->shown];

	return picture_composition(svg, &findings->composition,
				   findings->has_calls ? &findings->calls : NULL, err);
}

static int draw_handovers(const struct svg *svg, const struct subject *subject, struct error *err)
{
	return picture_handovers(svg, &subject->runs[subject->shown].composition, err);
}

static int draw_pairs(const struct svg *svg, const struct subject *subject,
		      enum picture_slope slope, struct error *err)
{
	const struct findings *findings = &subject->runs[subject->shown];

	return picture_pairs(svg, &findings->composition, findings->model->goal.rank_count, slope,
			     err);
}

static int draw_lambda_L(const struct svg *svg, const struct subject *subject, struct error *err)
{
	return draw_pairs(svg, subject, PICTURE_LAMBDA_L, err);
}

static int draw_lambda_G(const struct svg *svg, const struct subject *subject, struct error *err)
{
	return draw_pairs(svg, subject, PICTURE_LAMBDA_G, err);
}

static int draw_messages(const struct svg *svg, const struct subject *subject, struct error *err)
{
	return picture_communication(svg, &subject->runs[subject->shown].communication,
				     PICTURE_MESSAGES, err);
}

static int draw_bytes(const struct svg *svg, const struct subject *subject, struct error *err)
{
	return picture_communication(svg, &subject->runs[subject->shown].communication,
				     PICTURE_BYTES, err);
}

static int draw_ranks(const struct svg *svg, const struct subject *subject, struct error *err)
{
	return picture_ranks(svg, &subject->runs[subject->shown].ranks, err);
}

/* ------------------------------------------------------------------ files */

static int write_file(const char *path, double width, draw_function *draw,
		      const struct subject *subject, struct error *err)
{
	struct output output;
	struct svg svg = {.place = SVG_FILE, .width = width};

	TRY(output_open(&output, path, err));
	svg.stream = output.stream;
	if (draw(&svg, subject, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

/* Write both widths of a picture.  `number` is 0 if its name has no number. */
static int write_picture(const char *folder, const char *name, size_t number, draw_function *draw,
			 const struct subject *subject, struct error *err)
{
	static const struct {
		const char *ending;
		double width;
	} sizes[] = {{"", SVG_WIDE_PX}, {"-column", SVG_NARROW_PX}};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char path[PATH_MAX], digits[24] = "";

		if (number)
			snprintf(digits, sizeof digits, "-%zu", number);
		if (snprintf(path, sizeof path, "%s/%s%s%s.svg", folder, name, digits,
			     sizes[i].ending) >= (int)sizeof path)
			return error_set(err, STATUS_USAGE, "the path of a picture is too long");
		TRY(write_file(path, sizes[i].width, draw, subject, err));
	}
	return 0;
}

/* Write the pictures of subject->shown. */
static int write_program(const char *folder, const struct subject *subject, struct error *err)
{
	const struct findings *findings = &subject->runs[subject->shown];
	const bool communicates = findings->communication.messages > 0;
	const struct {
		const char *name;
		draw_function *draw;
		bool shown;
	} pictures[] = {
		{"critical-path", draw_path, findings->composition.ranks.count > 0},
		{"hand-overs", draw_handovers, findings->composition.handovers.count > 0},
		{"lambda_L", draw_lambda_L, findings->path.lambda > 0},
		{"lambda_G", draw_lambda_G, findings->path.lambda_G > 0},
		{"messages", draw_messages, communicates},
		{"bytes", draw_bytes, communicates},
		{"ranks", draw_ranks, findings->ranks.ranks.count > 0},
	};

	for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
		if (pictures[i].shown)
			TRY(write_picture(folder, pictures[i].name,
					  subject->count > 1 ? subject->shown + 1 : 0,
					  pictures[i].draw, subject, err));
	return 0;
}

static int write_all(const char *folder, struct subject *subject, struct error *err)
{
	TRY(write_picture(folder, "curve", 0, draw_curves, subject, err));
	if (subject->curves[0]->tolerance.count)
		TRY(write_picture(folder, "tolerances", 0, draw_tolerances, subject, err));
	for (; subject->shown < subject->count; subject->shown++)
		TRY(write_program(folder, subject, err));
	return 0;
}

int picture_files_write(const char *folder, const struct findings *runs, size_t count,
			struct error *err)
{
	struct subject subject = {.runs = runs, .count = count};
	const struct curve **curves;
	int status;

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return error_set_errno(err, "%s", folder);
	TRY(allocate(&curves, count, sizeof *curves, err));
	for (size_t i = 0; i < count; i++)
		curves[i] = &runs[i].curve;
	subject.curves = curves;
	status = write_all(folder, &subject, err);
	free(curves);
	return status;
}
