#include "llamp/timeline/timeline_write.h"

#include "llamp/timeline/timeline_svg.h"
#include "llamp/timeline/timeline_viewer.h"

static int timeline_write_draw(FILE *stream, const struct model *model,
			       const struct goal_calls *calls, const struct run_part *part,
			       struct timeline_counts *counts, struct error *err)
{
	const struct svg svg = {.stream = stream, .place = SVG_FILE, .width = SVG_WIDE_PX};
	struct timeline_picture picture;

	TRY(timeline_picture_find(&picture, model, calls, part, counts, err));
	timeline_svg(&svg, &picture);
	timeline_picture_release(&picture);
	return 0;
}

int timeline_write(FILE *stream, enum timeline_format format, const struct model *model,
		    const struct goal_calls *calls, const struct run_part *part,
		    struct timeline_counts *counts, struct error *err)
{
	if (format == TIMELINE_SVG)
		return timeline_write_draw(stream, model, calls, part, counts, err);
	return timeline_viewer(stream, format == TIMELINE_PERFETTO ? VIEWER_PERFETTO : VIEWER_CHROME,
			       model, calls, part, counts, err);
}
