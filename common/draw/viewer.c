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
		const struct viewer_known *known, struct error *err)
{
	char written[WRITTEN_BYTES];

	*viewer = (struct viewer){.stream = stream, .format = format};
	/* Number 0 is no text. */
	TRY(array_push(&viewer->shown, (struct viewer_text){0}, err));
	(format == VIEWER_PERFETTO ? perfetto_open
				   : chrome_open)(viewer, written_text(viewer, title, written));
	for (; known->text; known++)
		TRY(viewer_name(viewer, known->use, known->text, err));
	return 0;
}

int viewer_close(struct viewer *viewer, int result)
{
	if (result == 0 && viewer->format == VIEWER_CHROME)
		chrome_close(viewer);
	for (size_t i = 0; i < viewer->shown.count; i++)
		free(viewer->shown.items[i].shown);
	array_release(&viewer->shown);
	for (int use = 0; use < VIEWER_USES; use++)
		string_map_release(&viewer->texts[use]);
	return result;
}

/* ------------------------------------------------------------------------ texts */

/* Add a text, and to its memory how JSON writes it. */
static int add_text(struct viewer *viewer, enum viewer_use use, const char *shown, uint32_t *number,
		    struct error *err)
{
	const size_t bytes = strlen(shown) + 1;
	struct viewer_text text;

	TRY(allocate(&text.shown, 3 * bytes, 1, err));
	memcpy(text.shown, shown, bytes);
	text.written = text.shown;
	if (viewer->format == VIEWER_CHROME) {
		text.written = text.shown + bytes;
		chrome_escape(shown, text.shown + bytes);
	}
	*number = (uint32_t)viewer->shown.count;
	if (array_push(&viewer->shown, text, err) < 0) {
		free(text.shown);
		return -1;
	}
	TRY(string_map_add(&viewer->texts[use], text.shown, (uint32_t)bytes - 1, *number, err));
	if (viewer->format == VIEWER_PERFETTO)
		perfetto_text(viewer, use, *number, text.written);
	return 0;
}

/* Find the number of a text by what is shown of it. */
static int find_text(struct viewer *viewer, enum viewer_use use, const char *text, uint32_t *number,
		     struct error *err)
{
	char shown[VIEWER_TEXT_BYTES + 1];

	text_show(text, shown, sizeof shown);
	*number = string_map_get(&viewer->texts[use], shown, (uint32_t)strlen(shown));
	return *number == STRING_MAP_EMPTY ? add_text(viewer, use, shown, number, err) : 0;
}

static inline struct viewer_recent *recent_of(struct viewer *viewer, enum viewer_use use,
					      const char *text)
{
	const size_t place = (size_t)((uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) >> 56);

	return &viewer->recent[use][place % VIEWER_RECENT];
}

/* Most texts are constants: look first at what was found last for this address. */
static inline int number_of(struct viewer *viewer, enum viewer_use use, const char *text,
			    uint32_t *number, struct error *err)
{
	struct viewer_recent *recent = recent_of(viewer, use, text);

	/* A text that is equal to what is shown is shown as it is. */
	*number = recent->number;
	if (recent->text == text &&
	    (recent->constant || !strcmp(viewer->shown.items[*number].shown, text)))
		return 0;
	TRY(find_text(viewer, use, text, number, err));
	*recent = (struct viewer_recent){text, *number, false};
	return 0;
}

int viewer_name(struct viewer *viewer, enum viewer_use use, const char *text, struct error *err)
{
	uint32_t number;

	TRY(find_text(viewer, use, text, &number, err));
	*recent_of(viewer, use, text) = (struct viewer_recent){text, number, true};
	return 0;
}

static int find_numbers(struct viewer *viewer, const struct viewer_slice *slice,
			struct viewer_numbers *numbers, struct error *err)
{
	numbers->category = numbers->argument_count = 0;
	TRY(number_of(viewer, VIEWER_NAME, slice->name, &numbers->name, err));
	if (slice->category)
		TRY(number_of(viewer, VIEWER_CATEGORY, slice->category, &numbers->category, err));
	for (uint32_t i = 0; i < VIEWER_MOST_ARGUMENTS && slice->arguments[i].name; i++) {
		const struct viewer_argument *argument = &slice->arguments[i];

		TRY(number_of(viewer, VIEWER_ARGUMENT, argument->name, &numbers->names[i], err));
		if (argument->text)
			TRY(number_of(viewer, VIEWER_VALUE, argument->text, &numbers->texts[i], err));
		numbers->argument_count++;
	}
	return 0;
}

/* ------------------------------------------------------------- tracks and slices */

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

int viewer_begin(struct viewer *viewer, const struct viewer_track *track,
		 const struct viewer_slice *slice, struct error *err)
{
	struct viewer_numbers numbers;

	TRY(find_numbers(viewer, slice, &numbers, err));
	(viewer->format == VIEWER_PERFETTO ? perfetto_begin
					   : chrome_begin)(viewer, track, slice, &numbers);
	return 0;
}

void viewer_end(struct viewer *viewer, const struct viewer_track *track, uint64_t end_ns)
{
	/* In JSON the beginning has the end. */
	if (viewer->format == VIEWER_PERFETTO)
		perfetto_end(viewer, track, end_ns);
}

int viewer_write(struct viewer *viewer, const struct viewer_track *track,
		 const struct viewer_slice *slice, struct error *err)
{
	TRY(viewer_begin(viewer, track, slice, err));
	viewer_end(viewer, track, slice->end_ns);
	return 0;
}
