#include "measure/cells/cells_file.h"

#include "measure/cells/json_line.h"
#include "measure/cells/members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- header */

static int put_setting(void *target, char *name, char *value, struct error *err)
{
	struct cells_header *header = target;
	const struct cells_setting setting = {name, value};

	if (array_push(&header->settings, setting, err) == 0)
		return 0;
	free(name);
	free(value);
	return -1;
}

static int read_threshold(const struct json_lines *lines, struct cells_header *header,
			  struct error *err)
{
	static const char *const words[] = {"none", NULL};
	double bounds[2];
	size_t count;
	int word;

	if (json_lines_length(lines, "threshold", &count, err) < 0) {
		TRY(json_lines_choice(lines, "threshold", words, &word, err));
		header->S_low = header->S_high = UINT64_MAX;
		return 0;
	}
	if (!count)
		return 0;
	if (count == 2)
		TRY(json_lines_numbers(lines, "threshold", bounds, 2, err));
	if (count != 2 || !(bounds[0] >= 0 && bounds[0] <= bounds[1]))
		return json_lines_error(lines, err, "member 'threshold' is no pair of sizes");
	header->S_low = (uint64_t)bounds[0];
	header->S_high = (uint64_t)bounds[1];
	return 0;
}

static int read_header(const struct json_lines *lines, struct cells_header *header,
		       struct error *err)
{
	static const char *const schemas[] = {CELLS_SCHEMA, NULL};
	int schema;

	if (!json_lines_has(lines, "schema"))
		return json_lines_error(
			lines, err,
			"this is no file of llamp-measure overlap, whose first line has a"
			" member 'schema'");
	TRY(json_lines_choice(lines, "schema", schemas, &schema, err));
	TRY(members_read(lines, header_members, header, err));
	TRY(read_threshold(lines, header, err));
	return json_lines_pairs(lines, "settings", put_setting, header, err);
}

void cells_header_release(struct cells_header *header)
{
	for (size_t i = 0; i < header->settings.count; i++) {
		free(header->settings.items[i].name);
		free(header->settings.items[i].value);
	}
	array_release(&header->settings);
	members_free_texts(header_members, header);
	memset(header, 0, sizeof *header);
}

/* ---------------------------------------------------------------------- lines */

static int read_spec(const struct json_lines *lines, struct cell_spec *spec, struct error *err)
{
	TRY(members_read(lines, spec_members, spec, err));
	if (!spec->pending)
		return json_lines_error(lines, err, "member 'pending' is 0");
	return 0;
}

static int read_rank_ratios(const struct json_lines *lines, struct cell *cell, struct error *err)
{
	size_t count;

	TRY(json_lines_length(lines, "rank_ratios", &count, err));
	if (!count)
		return 0;
	TRY(allocate(&cell->rank_ratios, count, sizeof *cell->rank_ratios, err));
	cell->rank_count = (uint32_t)count;
	return json_lines_numbers(lines, "rank_ratios", cell->rank_ratios, count, err);
}

static int read_cell(const struct json_lines *lines, struct cells_file *file, struct error *err)
{
	struct cell cell = {0};

	if (read_spec(lines, &cell.spec, err) < 0 ||
	    members_read(lines, cell_members, &cell, err) < 0 ||
	    read_rank_ratios(lines, &cell, err) < 0 || array_push(&file->cells, cell, err) < 0) {
		cell_release(&cell);
		return -1;
	}
	if (file->began && cell_spec_equal(&cell.spec, &file->last))
		file->began = false;
	return 0;
}

static int read_end(const struct json_lines *lines, struct cells_file *file, struct error *err)
{
	TRY(json_lines_text(lines, "end", &file->end, err));
	if (!json_lines_has(lines, "work_drift"))
		return 0;
	return json_lines_number(lines, "work_drift", &file->work_drift, err);
}

static void begin_again(struct cells_file *file)
{
	free(file->end);
	file->end = NULL;
	file->began = false;
}

/* Read a line after the header. */
static int read_line(const struct json_lines *lines, struct cells_file *file, struct error *err)
{
	if (json_lines_has(lines, "resumed")) {
		begin_again(file);
		return 0;
	}
	if (file->end)
		return json_lines_error(
			lines, err, "the file goes on after its end without a line of 'resumed'");
	if (json_lines_has(lines, "end"))
		return read_end(lines, file, err);
	if (json_lines_has(lines, "begin")) {
		file->began = true;
		return read_spec(lines, &file->last, err);
	}
	return read_cell(lines, file, err);
}

static int read_lines(struct json_lines *lines, struct cells_file *file, struct error *err)
{
	const char *bytes;
	size_t count;

	while (json_lines_next(lines, &bytes, &count)) {
		if (lines->cut && lines->number > 1)
			return 0;
		TRY(json_lines_parse(lines, bytes, count, err));
		if (lines->number == 1)
			TRY(read_header(lines, &file->header, err));
		else
			TRY(read_line(lines, file, err));
	}
	if (lines->number == 0)
		return error_set(err, STATUS_DATA, "%s: the file is empty", lines->path);
	return 0;
}

/* ------------------------------------------------------------------ the order */

/* Order pointers to cells by specification, equal ones by line. */
static int by_spec(const void *a, const void *b)
{
	const struct cell *const *x = a, *const *y = b;
	const int order = cell_spec_compare(&(*x)->spec, &(*y)->spec);

	return order ? order : (*x > *y) - (*x < *y);
}

/* Sort the cells, and release all but the last of equal ones. */
static int sort_cells(struct cells_file *file, struct error *err)
{
	const size_t count = file->cells.count;
	struct cell *cells = file->cells.items, *sorted;
	struct cell **order;

	TRY(allocate(&order, count, sizeof *order, err));
	if (allocate(&sorted, count, sizeof *sorted, err) < 0) {
		free(order);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = &cells[i];
	qsort(order, count, sizeof *order, by_spec);
	file->cells.count = 0;
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && cell_spec_equal(&order[i]->spec, &order[i + 1]->spec))
			cell_release(order[i]);
		else
			sorted[file->cells.count++] = *order[i];
	}
	free(order);
	free(cells);
	file->cells.items = sorted;
	file->cells.capacity = count;
	return 0;
}

/* ------------------------------------------------------------------- the file */

int cells_file_read(const char *path, struct cells_file *file, struct error *err)
{
	struct json_lines lines;
	int result;

	memset(file, 0, sizeof *file);
	file->work_drift = NAN;
	file->path = strdup(path);
	if (!file->path)
		return error_set_memory(err, strlen(path) + 1);
	result = json_lines_open(&lines, path, err);
	if (result == 0) {
		result = read_lines(&lines, file, err);
		json_lines_release(&lines);
	}
	if (result < 0 || sort_cells(file, err) < 0) {
		cells_file_release(file);
		return -1;
	}
	return 0;
}

void cells_file_release(struct cells_file *file)
{
	for (size_t i = 0; i < file->cells.count; i++)
		cell_release(&file->cells.items[i]);
	array_release(&file->cells);
	cells_header_release(&file->header);
	free(file->path);
	free(file->end);
	memset(file, 0, sizeof *file);
}

static int spec_of_cell(const void *key, const void *item)
{
	return cell_spec_compare(key, &((const struct cell *)item)->spec);
}

const struct cell *cells_file_find(const struct cells_file *file, const struct cell_spec *spec)
{
	if (!file->cells.count)
		return NULL;
	return bsearch(spec, file->cells.items, file->cells.count, sizeof *file->cells.items,
		       spec_of_cell);
}

/* Whether each setting of `a` is one of `b`. */
static const char *setting_differs(const struct cells_header *a, const struct cells_header *b)
{
	for (size_t i = 0; i < a->settings.count; i++) {
		const struct cells_setting *setting = &a->settings.items[i];
		bool found = false;

		for (size_t j = 0; j < b->settings.count && !found; j++)
			found = !strcmp(setting->name, b->settings.items[j].name) &&
				!strcmp(setting->value, b->settings.items[j].value);
		if (!found)
			return setting->name;
	}
	return NULL;
}

int cells_file_may_append(const struct cells_file *file, const struct cells_header *now,
			  struct error *err)
{
	const struct member *member = members_differ(header_members, &file->header, now);
	const char *setting = setting_differs(&file->header, now);

	if (member)
		return error_set(err, STATUS_USAGE,
				 "%s was measured with another '%s' than this run has: write a new"
				 " file",
				 file->path, member->key);
	if (!setting)
		setting = setting_differs(now, &file->header);
	if (setting)
		return error_set(err, STATUS_USAGE,
				 "%s was measured with another %s in the environment: write a new"
				 " file",
				 file->path, setting);
	return 0;
}
