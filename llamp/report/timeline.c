#include "llamp/report/timeline.h"

#include "llamp/report/timeline_svg.h"
#include "llamp/report/timeline_viewer.h"

#include <string.h>

int timeline_format_of(const char *path, enum timeline_format *format, struct error *err)
{
	static const char *const endings[] = {
		[TIMELINE_PERFETTO] = ".pftrace", [TIMELINE_CHROME] = ".json",
		[TIMELINE_SVG] = ".svg"};
	const size_t length = strlen(path);

	for (int i = TIMELINE_PERFETTO; i <= TIMELINE_SVG; i++) {
		const size_t bytes = strlen(endings[i]);

		if (length > bytes && !strcmp(path + length - bytes, endings[i])) {
			*format = (enum timeline_format)i;
			return 0;
		}
	}
	return error_set(err, STATUS_USAGE,
			 "the output '%s' must end in .pftrace, .json or .svg", path);
}

static int draw(FILE *stream, const struct model *model, const struct goal_calls *calls,
		const struct run_part *part, struct timeline_counts *counts, struct error *err)
{
	const struct svg svg = {.stream = stream, .place = SVG_FILE, .width = SVG_WIDE_PX};
	struct timeline_picture picture;

	TRY(timeline_picture_find(&picture, model, calls, part, counts, err));
	timeline_svg(&svg, &picture);
	timeline_picture_release(&picture);
	return 0;
}

int report_timeline(FILE *stream, enum timeline_format format, const struct model *model,
		    const struct goal_calls *calls, const struct run_part *part,
		    struct timeline_counts *counts, struct error *err)
{
	if (format == TIMELINE_SVG)
		return draw(stream, model, calls, part, counts, err);
	return timeline_viewer(stream, format == TIMELINE_PERFETTO ? VIEWER_PERFETTO : VIEWER_CHROME,
			       model, calls, part, counts, err);
}
