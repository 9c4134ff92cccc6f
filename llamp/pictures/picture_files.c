#include "llamp/pictures/picture_files.h"

#include "llamp/pictures/pictures.h"

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
	const char *folder;
	struct picture_files *files;
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
	return picture_composition(svg, &subject->runs[subject->shown], err);
}

static int draw_rank_switches(const struct svg *svg, const struct subject *subject,
			      struct error *err)
{
	return picture_rank_switches(svg, &subject->runs[subject->shown], err);
}

static int draw_pairs(const struct svg *svg, const struct subject *subject,
		      enum picture_slope slope, struct error *err)
{
	return picture_pairs(svg, &subject->runs[subject->shown], slope, err);
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

static int draw_file(const char *path, double width, draw_function *draw,
		     const struct subject *subject, struct error *err)
{
	struct svg svg = {.place = SVG_FILE, .width = width};
	struct output *output;

	TRY(array_push(&subject->files->outputs, (struct output){0}, err));
	output = &subject->files->outputs.items[subject->files->outputs.count - 1];
	TRY(output_open(output, path, err));
	svg.stream = output->stream;
	TRY(draw(&svg, subject, err));
	return output_finish(output, err);
}

/* Draw both widths of a picture.  `number` is 0 if its name has no number. */
static int draw_picture(const char *name, size_t number, draw_function *draw,
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
		if (snprintf(path, sizeof path, "%s/%s%s%s.svg", subject->folder, name, digits,
			     sizes[i].ending) >= (int)sizeof path)
			return error_set(err, STATUS_USAGE, "the path of a picture is too long");
		TRY(draw_file(path, sizes[i].width, draw, subject, err));
	}
	return 0;
}

/* Draw the pictures of subject->shown. */
static int draw_program(const struct subject *subject, struct error *err)
{
	const struct findings *findings = &subject->runs[subject->shown];
	const bool communicates = findings->communication.messages > 0;
	const struct {
		const char *name;
		draw_function *draw;
		bool shown;
	} pictures[] = {
		{"critical-path", draw_path, findings->path_ranks.count > 0},
		{"rank-switches", draw_rank_switches, findings->rank_switches.count > 0},
		{"lambda_L", draw_lambda_L, findings->path.lambda > 0},
		{"lambda_G", draw_lambda_G, findings->path.lambda_G > 0},
		{"messages", draw_messages, communicates},
		{"bytes", draw_bytes, communicates},
		{"ranks", draw_ranks, findings->ranks.ranks.count > 0},
	};

	for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
		if (pictures[i].shown)
			TRY(draw_picture(pictures[i].name,
					 subject->count > 1 ? subject->shown + 1 : 0,
					 pictures[i].draw, subject, err));
	return 0;
}

static int draw_all(struct subject *subject, struct error *err)
{
	TRY(draw_picture("curve", 0, draw_curves, subject, err));
	if (subject->curves[0]->tolerance.count)
		TRY(draw_picture("tolerances", 0, draw_tolerances, subject, err));
	for (; subject->shown < subject->count; subject->shown++)
		TRY(draw_program(subject, err));
	return 0;
}

int picture_files_draw(struct picture_files *files, const char *folder,
		       const struct findings *runs, size_t count, struct error *err)
{
	struct subject subject = {.runs = runs, .count = count, .folder = folder, .files = files};
	const struct curve **curves;
	int status;

	files->made_folder = mkdir(folder, 0777) == 0;
	if (!files->made_folder && errno != EEXIST)
		return error_set_errno(err, "%s", folder);
	TRY(allocate(&curves, count, sizeof *curves, err));
	for (size_t i = 0; i < count; i++)
		curves[i] = &runs[i].curve;
	subject.curves = curves;
	status = draw_all(&subject, err);
	free(curves);
	return status;
}
