/* Writing the lines of a file of the overlap benchmark. */
#include "measure/cells/cells_file.h"
#include "measure/cells/members.h"
#include "measure/cells/ratio.h"

#include <stdint.h>

static void begin_line(struct json *json, FILE *stream)
{
	*json = (struct json){.stream = stream};
	json_begin(json, NULL, '{', JSON_INLINE);
}

static void end_line(struct json *json)
{
	json_end(json);
	fflush(json->stream);
}

static void write_threshold(struct json *json, const struct cells_header *header)
{
	const char *key = "threshold";

	if (!header->S_high) {
		json_null(json, key);
	} else if (header->S_high == UINT64_MAX) {
		json_text(json, key, "none");
	} else {
		json_begin(json, key, '[', JSON_INLINE);
		json_integer(json, NULL, header->S_low);
		json_integer(json, NULL, header->S_high);
		json_end(json);
	}
}

void cells_write_header(FILE *stream, const struct cells_header *header)
{
	struct json json;

	begin_line(&json, stream);
	json_text(&json, "schema", CELLS_SCHEMA);
	members_write(&json, header_members, header);
	write_threshold(&json, header);
	json_begin(&json, "settings", '{', JSON_INLINE);
	for (size_t i = 0; i < header->settings.count; i++)
		json_text(&json, header->settings.items[i].name, header->settings.items[i].value);
	json_end(&json);
	end_line(&json);
}

void cells_write_resumed(FILE *stream, const char *start)
{
	struct json json;

	begin_line(&json, stream);
	json_text(&json, "resumed", start);
	end_line(&json);
}

void cells_write_begin(FILE *stream, const struct cell_spec *spec)
{
	struct json json;

	begin_line(&json, stream);
	json_boolean(&json, "begin", true);
	members_write(&json, spec_members, spec);
	end_line(&json);
}

static void write_ranks(struct json *json, const struct cell *cell)
{
	if (!cell->rank_ratios)
		return;
	json_begin(json, "rank_ratios", '[', JSON_INLINE);
	for (uint32_t i = 0; i < cell->rank_count; i++)
		json_number(json, NULL, cell->rank_ratios[i]);
	json_end(json);
}

void cells_write_cell(FILE *stream, const struct cell *cell)
{
	const bool loaded = cell->spec.bench == BENCH_NLOAD;
	struct json json;

	begin_line(&json, stream);
	members_write(&json, spec_members, &cell->spec);
	members_write(&json, cell_members, cell);
	write_ranks(&json, cell);
	json_number(&json, loaded ? "slowdown" : "ratio",
		    loaded ? cell_slowdown(cell) : cell_ratio(cell));
	json_number(&json, "ratio_error", cell_ratio_error(cell));
	end_line(&json);
}

void cells_write_end(FILE *stream, const char *why, double work_drift)
{
	struct json json;

	begin_line(&json, stream);
	json_text(&json, "end", why);
	json_number(&json, "work_drift", work_drift);
	end_line(&json);
}
