#include "common/draw/viewer.h"

#include "common/draw/chrome.h"
#include "common/draw/perfetto.h"
#include "common/text.h"

#include <string.h>

/* A text as it is written: cut, without control characters, and escaped for JSON. */
enum { WRITTEN_BYTES = 2 * VIEWER_TEXT_BYTES + 1 };

static const char *written_text(const struct viewer *viewer, const char *text,
				char written[static WRITTEN_BYTES])
{
	char shown[VIEWER_TEXT_BYTES + 1];

	text_show(text, shown, sizeof shown);
	if (viewer->format == VIEWER_CHROME)
		chrome_escape(shown, written);
	else
		memcpy(written, shown, strlen(shown) + 1);
	return written;
}

int viewer_open(struct viewer *viewer, FILE *stream, enum viewer_format format, const char *title,
		struct error *err)
{
	char written[WRITTEN_BYTES];

	*viewer = (struct viewer){.stream = stream, .format = format};
	/* Number 0 is no text. */
	TRY(array_push(&viewer->shown, NULL, err));
	(format == VIEWER_PERFETTO ? perfetto_open
				   : chrome_open)(viewer, written_text(viewer, title, written));
	return 0;
}

void viewer_release(struct viewer *viewer)
{
	for (size_t i = 0; i < viewer->shown.count; i++)
		free(viewer->shown.items[i]);
	array_release(&viewer->shown);
	for (int use = 0; use < VIEWER_USES; use++)
		string_map_release(&viewer->texts[use]);
}

void viewer_close(struct viewer *viewer)
{
	if (viewer->format == VIEWER_CHROME)
		chrome_close(viewer);
	viewer_release(viewer);
}

int viewer_text(struct viewer *viewer, enum viewer_use use, const char *text, uint32_t *number,
		struct error *err)
{
	struct string_map *texts = &viewer->texts[use];
	char written[WRITTEN_BYTES];
	uint32_t bytes;
	char *copy;

	written_text(viewer, text, written);
	bytes = (uint32_t)strlen(written);
	*number = string_map_get(texts, written, bytes);
	if (*number != STRING_MAP_EMPTY)
		return 0;
	copy = strdup(written);
	if (!copy)
		return error_set_memory(err, bytes + 1);
	*number = (uint32_t)viewer->shown.count;
	if (array_push(&viewer->shown, copy, err) < 0) {
		free(copy);
		return -1;
	}
	TRY(string_map_add(texts, copy, bytes, *number, err));
	if (viewer->format == VIEWER_PERFETTO)
		perfetto_text(viewer, use, *number, copy);
	return 0;
}

void viewer_add_track(struct viewer *viewer, const struct viewer_track *parent, const char *name,
		      struct viewer_track *track)
{
	char written[WRITTEN_BYTES];

	track->number = ++viewer->track_count;
	track->process = parent ? parent->process : track->number;
	written_text(viewer, name, written);
	if (viewer->format == VIEWER_PERFETTO)
		perfetto_track(viewer, parent, written, track);
	else
		chrome_track(viewer, written, track);
}

void viewer_begin(struct viewer *viewer, const struct viewer_track *track,
		  const struct viewer_slice *slice)
{
	(viewer->format == VIEWER_PERFETTO ? perfetto_begin : chrome_begin)(viewer, track, slice);
}

void viewer_end(struct viewer *viewer, const struct viewer_track *track, uint64_t end_ns)
{
	/* In JSON the beginning has the end. */
	if (viewer->format == VIEWER_PERFETTO)
		perfetto_end(viewer, track, end_ns);
}
