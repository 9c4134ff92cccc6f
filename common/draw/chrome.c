#include "common/draw/chrome.h"

#include <string.h>

/* An event that is being built.  None is longer. */
struct line {
	size_t count;
	char bytes[16384];
};

_Static_assert(sizeof((struct line *)0)->bytes >=
		       (2 * VIEWER_MOST_ARGUMENTS + 2) * (2 * VIEWER_TEXT_BYTES + 32),
	       "a line has room for all members of an event");

/* Inline, so that the length of a constant is known. */
static inline __attribute__((always_inline)) void put_text(struct line *line, const char *text)
{
	const size_t count = strlen(text);

	memcpy(line->bytes + line->count, text, count);
	line->count += count;
}

static void put_number(struct line *line, uint64_t value)
{
	char digits[20];
	int count = 0;

	do {
		digits[count++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (count)
		line->bytes[line->count++] = digits[--count];
}

/* Nanoseconds as microseconds. */
static void put_time(struct line *line, const char *name, uint64_t ns)
{
	put_text(line, name);
	put_number(line, ns / 1000);
	line->bytes[line->count++] = '.';
	for (uint64_t place = 100; place; place /= 10)
		line->bytes[line->count++] = (char)('0' + ns / place % 10);
}

static void put_place(struct line *line, const char *phase, const struct viewer_track *track)
{
	put_text(line, "{\"ph\":\"");
	put_text(line, phase);
	put_text(line, "\",\"pid\":");
	put_number(line, track->process);
	put_text(line, ",\"tid\":");
	put_number(line, track->number);
}

static void write_line(struct viewer *viewer, struct line *line)
{
	if (viewer->any) {
		putc_unlocked(',', viewer->stream);
		putc_unlocked('\n', viewer->stream);
	}
	viewer->any = true;
	fwrite_unlocked(line->bytes, 1, line->count, viewer->stream);
}

void chrome_escape(const char *text, char *escaped)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*escaped++ = '\\';
		*escaped++ = *text;
	}
	*escaped = '\0';
}

void chrome_open(struct viewer *viewer, const char *title)
{
	fprintf(viewer->stream,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":\"%s\"},"
		"\"traceEvents\":[\n",
		title);
}

void chrome_close(struct viewer *viewer)
{
	fputs("\n]}\n", viewer->stream);
}

static void write_metadata(struct viewer *viewer, const struct viewer_track *track,
			   const char *what, const char *member, const char *text)
{
	struct line line;

	line.count = 0;
	put_place(&line, "M", track);
	put_text(&line, ",\"name\":\"");
	put_text(&line, what);
	put_text(&line, "\",\"args\":{\"");
	put_text(&line, member);
	put_text(&line, "\":");
	if (text) {
		put_text(&line, "\"");
		put_text(&line, text);
		put_text(&line, "\"");
	} else {
		put_number(&line, track->number);
	}
	put_text(&line, "}}");
	write_line(viewer, &line);
}

void chrome_track(struct viewer *viewer, const char *name, const struct viewer_track *track)
{
	if (track->number == track->process) {
		write_metadata(viewer, track, "process_name", "name", name);
		write_metadata(viewer, track, "process_sort_index", "sort_index", NULL);
	}
	write_metadata(viewer, track, "thread_name", "name", name);
	write_metadata(viewer, track, "thread_sort_index", "sort_index", NULL);
}

static void put_arguments(struct line *line, const struct viewer *viewer,
			  const struct viewer_slice *slice, const struct viewer_numbers *numbers)
{
	const struct viewer_text *texts = viewer->shown.items;

	for (uint32_t i = 0; i < numbers->argument_count; i++) {
		put_text(line, i ? ",\"" : ",\"args\":{\"");
		put_text(line, texts[numbers->names[i]].written);
		put_text(line, "\":");
		if (slice->arguments[i].text) {
			put_text(line, "\"");
			put_text(line, texts[numbers->texts[i]].written);
			put_text(line, "\"");
		} else {
			put_number(line, slice->arguments[i].number);
		}
	}
	if (numbers->argument_count)
		put_text(line, "}");
}

static void write_arrow(struct viewer *viewer, const struct viewer_track *track,
			const struct viewer_slice *slice)
{
	const bool from = slice->arrow == VIEWER_ARROW_FROM;
	struct line line;

	line.count = 0;
	put_place(&line, from ? "s" : "f", track);
	put_time(&line, ",\"ts\":", slice->start_ns);
	put_text(&line, ",\"name\":\"message\",\"cat\":\"message\",\"id\":");
	put_number(&line, slice->arrow_id);
	put_text(&line, from ? "}" : ",\"bp\":\"e\"}");
	write_line(viewer, &line);
}

void chrome_begin(struct viewer *viewer, const struct viewer_track *track,
		  const struct viewer_slice *slice, const struct viewer_numbers *numbers)
{
	struct line line;

	line.count = 0;
	put_place(&line, "X", track);
	put_time(&line, ",\"ts\":", slice->start_ns);
	put_time(&line, ",\"dur\":", slice->end_ns - slice->start_ns);
	put_text(&line, ",\"name\":\"");
	put_text(&line, viewer->shown.items[numbers->name].written);
	if (numbers->category) {
		put_text(&line, "\",\"cat\":\"");
		put_text(&line, viewer->shown.items[numbers->category].written);
	}
	put_text(&line, "\"");
	put_arguments(&line, viewer, slice, numbers);
	put_text(&line, "}");
	write_line(viewer, &line);
	if (slice->arrow != VIEWER_NO_ARROW)
		write_arrow(viewer, track, slice);
}
