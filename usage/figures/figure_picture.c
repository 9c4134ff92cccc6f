#include "usage/figures/figure_picture.h"

#include "usage/figures/figure_picture_internal.h"

static figure_drawer *const drawers[] = {
	[FIGURE_TABLE] = NULL,
	[FIGURE_LINES] = figure_draw_lines,
	[FIGURE_BARS] = figure_draw_bars,
	[FIGURE_CURVES] = figure_draw_curves,
	[FIGURE_QUARTILES] = figure_draw_quartiles,
	[FIGURE_STACKED] = figure_draw_stacked,
};

bool figure_has_picture(const struct figure_result *result)
{
	return drawers[result->figure->kind] && figure_rows(result) > 0;
}

int figure_draw(const struct figure_result *result, const struct svg *svg, struct error *err)
{
	return drawers[result->figure->kind](result, svg, err);
}

static int draw_file(FILE *stream, const struct figure_result *result,
		     const struct figure_source *source, struct error *err)
{
	const struct svg svg = {.stream = stream, .place = SVG_FILE, .width = SVG_WIDE_PX};

	if (!drawers[result->figure->kind])
		return error_set(err, STATUS_USAGE, "%s is a table and has no picture",
				 result->figure->name);
	if (!figure_has_picture(result))
		return error_set(err, STATUS_DATA, "%s: %s: %s", source->db.path,
				 result->figure->name, figure_lack(result->figure));
	return figure_draw(result, &svg, err);
}

int figure_file(FILE *stream, const struct figure_request *request, struct error *err)
{
	struct figure_result result;
	int status;

	TRY(figure_ask(&result, request->only, request->sources[0], err));
	status = draw_file(stream, &result, request->sources[0], err);
	figure_result_release(&result);
	return status;
}
