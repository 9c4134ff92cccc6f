/* Reports as text, JSON, CSV and schema, from one description. */
#include "common/report/report.h"
#include "common/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t waits_ns[] = {500, 0, 1500, 1000};

static const char *const kinds[] = {"even", "odd", NULL};

static const struct report_field fields[] = {
	{"rank", "rank", .kind = VALUE_COUNT, .meaning = "Rank in MPI_COMM_WORLD"},
	{"wait_ns", "waits", VALUE_TIME, .width = 9},
	{NULL, "share", .kind = VALUE_SHARE},
	{"kind", NULL, VALUE_NAME, .flags = FIELD_NULL, .values = kinds},
	{"extra", "extra", VALUE_BYTES, .flags = FIELD_OPTIONAL},
	{NULL, NULL, .kind = VALUE_COUNT},
	{0},
};

static void wait_row(struct report_row *row, const void *data, size_t number)
{
	const uint64_t *waits = data;

	put_count(row, number);
	put_count(row, waits[number]);
	put_share(row, waits[number], 3000);
	if (number == 3)
		put_none(row);
	else
		put_name(row, kinds[number % 2]);
	put_count(row, 2048);
	put_count(row, 7);
}

static report_weight weight_of(const void *data, size_t number)
{
	/* Beyond 64 bits, as attoseconds may be. */
	return (report_weight)((const uint64_t *)data)[number] << 60;
}

static const struct report_field fact_fields[] = {
	{"runtime_ns", "runtime", .kind = VALUE_TIME},
	{"early", "early", VALUE_TRUTH, .flags = FIELD_OPTIONAL},
	{0},
};

static void fact_row(struct report_row *row, const void *data, size_t number)
{
	(void)number;
	put_count(row, 12);
	if (data)
		put_truth(row, true);
	else
		put_missing(row);
}

static const struct report_field named_fields[] = {
	{"value", NULL, .kind = VALUE_COUNT},
	{0},
};

static void named_row(struct report_row *row, const void *data, size_t number)
{
	(void)data;
	put_count(row, number);
}

/* Write the report; the caller frees the text. */
static char *written(enum report_format format, bool lacks_optional)
{
	char *text = NULL;
	size_t bytes;
	struct report report = {.stream = open_memstream(&text, &bytes),
				.format = format,
				.file = "a,b",
				.rows = "waits"};

	assert_non_null(report.stream);
	report_begin(&report, "test-1");
	report_line(&report, "T", "%d ns", 12);
	report_facts(&report, &(struct report_facts){.fields = fact_fields, .row = fact_row});
	report_facts(&report, &(struct report_facts){
		"more", "Also", fact_fields, fact_row, &report, .one_line = true});
	report_table(&report, &(struct report_table){
		"waits", .title = "ranks that wait", .fields = fields, .row = wait_row,
		.data = waits_ns, .count = 4, .lacks_optional = lacks_optional, .most = 2,
		.weight = weight_of, .counts_rest = true, .lists_all = "--all"});
	report_table(&report, &(struct report_table){"none", .fields = fields, .row = wait_row});
	report_table(&report, &(struct report_table){
		"named", .fields = named_fields, .members = kinds, .row = named_row, .count = 2});
	report_end(&report);
	fclose(report.stream);
	return text;
}

static void check(enum report_format format, bool lacks_optional, const char *expected)
{
	char *text = written(format, lacks_optional);

	assert_string_equal(text, expected);
	free(text);
}

static void text_has_the_heaviest_rows_and_the_fields_with_headings(void **state)
{
	(void)state;
	check(REPORT_TEXT, false,
	      "T           12 ns\n"
	      "runtime     12 ns\n"
	      "\nranks that wait\n"
	      "rank      waits    share  extra\n"
	      "   2     1.5 us  50.00 %  2 KiB\n"
	      "   3       1 us  33.33 %  2 KiB\n"
	      "and 2 more; --all lists all\n");
}

static void json_has_all_rows_and_the_fields_with_keys(void **state)
{
	(void)state;
	check(REPORT_JSON, true,
	      "{\n  \"schema\": \"test-1\",\n  \"runtime_ns\": 12,\n"
	      "  \"more\": {\"runtime_ns\": 12, \"early\": true},\n"
	      "  \"waits\": [\n"
	      "    {\"rank\": 0, \"wait_ns\": 500, \"kind\": \"even\"},\n"
	      "    {\"rank\": 1, \"wait_ns\": 0, \"kind\": \"odd\"},\n"
	      "    {\"rank\": 2, \"wait_ns\": 1500, \"kind\": \"even\"},\n"
	      "    {\"rank\": 3, \"wait_ns\": 1000, \"kind\": null}\n"
	      "  ],\n  \"none\": [],\n  \"named\": {\n"
	      "    \"even\": {\"value\": 0},\n    \"odd\": {\"value\": 1}\n  }\n}\n");
}

static void csv_has_the_chosen_table_with_the_file_in_each_row(void **state)
{
	(void)state;
	check(REPORT_CSV, false,
	      "file,rank,wait_ns,kind,extra\n"
	      "\"a,b\",0,500,even,2048\n"
	      "\"a,b\",1,0,odd,2048\n"
	      "\"a,b\",2,1500,even,2048\n"
	      "\"a,b\",3,1000,,2048\n");
}

static void schema_says_what_json_may_have(void **state)
{
	char *text = written(REPORT_SCHEMA, false);

	(void)state;
	assert_non_null(strstr(text, "\"schema\": {\"const\": \"test-1\"}"));
	assert_non_null(strstr(text, "\"required\": [\"schema\", \"runtime_ns\", \"more\", \"waits\", \"none\", \"named\"]"));
	assert_non_null(strstr(text, "\"early\": {\"type\": \"boolean\"}"));
	assert_non_null(strstr(text, "\"kind\": {\"enum\": [\"even\", \"odd\", null]}"));
	assert_non_null(strstr(text, "\"required\": [\"rank\", \"wait_ns\", \"kind\"]"));
	assert_non_null(strstr(text, "\"propertyNames\": {\"enum\": [\"even\", \"odd\"]},\n"
				     "      \"required\": [\"even\", \"odd\"],\n"
				     "      \"type\": \"object\",\n"
				     "      \"additionalProperties\": {\n"));
	free(text);
}

static void pages_have_the_table_of_the_text_with_heading_cells(void **state)
{
	char *text = NULL;
	size_t bytes;
	struct html page = {.stream = open_memstream(&text, &bytes)};
	struct report report = {.format = REPORT_PAGE, .page = &page};
	struct report_table table = {
		"waits", .title = "ranks", .caption = "Ranks that wait", .fields = fields,
		.row = wait_row, .data = waits_ns, .count = 4, .lacks_optional = true, .most = 1,
		.weight = weight_of, .counts_rest = true, .lists_all = "--all"};

	(void)state;
	assert_non_null(page.stream);
	report_begin(&report, "test-1");
	report_line(&report, "T", "%d ns", 12);
	report_facts(&report, &(struct report_facts){.fields = fact_fields, .row = fact_row});
	report_table(&report, &table);
	table.count = 0;
	report_table(&report, &table);
	report_end(&report);
	fclose(page.stream);
	assert_string_equal(text,
			    "<div class=\"scroll\"><table>\n<caption>Ranks that wait</caption>\n"
			    "<thead><tr><th class=\"n\" scope=\"col\">rank</th>"
			    "<th class=\"n\" scope=\"col\">waits</th>"
			    "<th class=\"n\" scope=\"col\">share</th></tr></thead>\n<tbody>\n"
			    "<tr><th class=\"n\" scope=\"row\">2</th><td class=\"n\">1.5 µs</td>"
			    "<td class=\"n\">50.00 %</td></tr>\n</tbody></table></div>\n"
			    "<p class=\"note\">and 3 more</p>\n");
	free(text);
}

static const struct report_field exact_fields[] = {
	{"place", NULL, VALUE_COUNT, .flags = FIELD_CSV},
	{"time_ns", "time", VALUE_ATTOSECONDS, .quantity = "exact_ns"},
	{"bytes", "bytes", .kind = VALUE_ALL_BYTES},
	{"copies", "copies", VALUE_COUNT, .flags = FIELD_NULL},
	{0},
};

static void exact_row(struct report_row *row, const void *data, size_t number)
{
	(void)data;
	put_count(row, number);
	put_attoseconds(row, (__int128)1234567891 * AS_PER_NS + 1);
	put_count(row, 1048577);
	put_count_or_none(row, 3, number == 0);
}

static void check_exact(enum report_format format, const char *expected)
{
	char *text = NULL;
	size_t bytes;
	struct report report = {.stream = open_memstream(&text, &bytes), .format = format,
				.file = "a", .rows = "exact"};

	assert_non_null(report.stream);
	report_begin(&report, "test-1");
	report_table(&report, &(struct report_table){
		"exact", .fields = exact_fields, .row = exact_row, .count = 2});
	report_end(&report);
	fclose(report.stream);
	assert_non_null(strstr(text, expected));
	if (format != REPORT_CSV)
		assert_null(strstr(text, "place"));
	free(text);
}

static void exact_values_have_all_digits(void **state)
{
	(void)state;
	check_exact(REPORT_TEXT, "      time      bytes  copies\n"
				 "1.234568 s  1048577 B       3\n"
				 "1.234568 s  1048577 B");
	check_exact(REPORT_JSON, "{\"time_ns\": 1234567891.000000001, \"bytes\": 1048577, \"copies\": 3},");
	check_exact(REPORT_CSV, "file,place,exact_ns,bytes,copies\n"
				"a,0,1234567891.000000001,1048577,3\n"
				"a,1,1234567891.000000001,1048577,\n");
	check_exact(REPORT_SCHEMA, "\"required\": [\"time_ns\", \"bytes\", \"copies\"],");
	check_exact(REPORT_SCHEMA, "\"time_ns\": {\"type\": \"number\", \"minimum\": 0}");
}

static void write_columns(FILE *stream, const void *data, bool names)
{
	fprintf(stream, names ? "run,%s" : "7,\"%s\"", (const char *)data);
}

static void csv_may_begin_with_other_columns_than_the_file(void **state)
{
	char *text = NULL;
	size_t bytes;
	struct report report = {.stream = open_memstream(&text, &bytes), .format = REPORT_CSV,
				.rows = "exact", .first_columns = write_columns, .first_data = "L"};

	(void)state;
	assert_non_null(report.stream);
	report_begin(&report, "test-1");
	report_table(&report, &(struct report_table){
		"exact", .fields = exact_fields, .row = exact_row, .count = 1});
	report_end(&report);
	fclose(report.stream);
	assert_string_equal(text, "run,L,place,exact_ns,bytes,copies\n"
				  "7,\"L\",0,1234567891.000000001,1048577,3\n");
	free(text);
}

static const struct report_field counted_fields[] = {
	{"messages", "messages", .kind = VALUE_COUNT},
	{"bytes", "bytes", VALUE_COUNT, .unit = "B"},
	{0},
};

static void counted_row(struct report_row *row, const void *data, size_t number)
{
	(void)data;
	(void)number;
	put_count(row, 3);
	put_count(row, 4096);
}

static void csv_has_a_fact_in_each_line_where_no_table_is_chosen(void **state)
{
	static const char *const expected[] = {
		[REPORT_TEXT] = "messages 3\nbytes    4096\n",
		[REPORT_CSV] = "file,quantity,unit,value\na,messages,1,3\na,bytes,B,4096\n",
	};

	(void)state;
	for (int format = REPORT_TEXT; format <= REPORT_CSV; format += REPORT_CSV - REPORT_TEXT) {
		char *text = NULL;
		size_t bytes;
		struct report report = {.stream = open_memstream(&text, &bytes),
					.label_width = 9,
					.csv_facts = true,
					.format = (enum report_format)format,
					.file = "a"};

		assert_non_null(report.stream);
		report_begin(&report, "test-1");
		report_facts(&report,
			     &(struct report_facts){.fields = counted_fields, .row = counted_row});
		report_table(&report, &(struct report_table){"none", .fields = counted_fields,
							     .row = counted_row});
		report_end(&report);
		fclose(report.stream);
		assert_string_equal(text, expected[format]);
		free(text);
	}
}

static const struct report_field list_fields[] = {
	{"hosts", NULL, VALUE_COUNTS, .meaning = "Host of each rank"}, {0},
};

static void list_row(struct report_row *row, const void *data, size_t number)
{
	(void)number;
	put_counts(row, data, 3);
}

static void facts_may_be_lists_and_have_members_that_are_not_named(void **state)
{
	static const struct report_field others = {NULL, NULL, .kind = VALUE_ATTOSECONDS};
	const uint32_t hosts[] = {2, 0, 1};
	char *text = NULL;
	size_t bytes;

	(void)state;
	for (int format = REPORT_TEXT; format <= REPORT_SCHEMA; format++) {
		struct report report = {.stream = open_memstream(&text, &bytes),
					.format = (enum report_format)format};

		assert_non_null(report.stream);
		report_begin(&report, "test-1");
		report_facts(&report, &(struct report_facts){
			"map", NULL, list_fields, list_row, hosts, .one_line = true, .others = &others});
		report_end(&report);
		fclose(report.stream);
		if (format == REPORT_JSON)
			assert_non_null(strstr(text, "\"map\": {\"hosts\": [2, 0, 1]}"));
		else if (format == REPORT_SCHEMA) {
			assert_non_null(strstr(text, "{\"description\": \"Host of each rank\", \"type\": \"array\","
						     " \"items\": {\"type\": \"integer\", \"minimum\": 0}}"));
			assert_non_null(strstr(text, "\"additionalProperties\": {\"type\": \"number\", \"minimum\": 0},"));
		} else {
			assert_string_equal(text, "");
		}
		free(text);
	}
}

static const struct report_field double_fields[] = {
	{"time_ns", "time", VALUE_NS, .width = 12, .flags = FIELD_NULL},
	{"gap", "gap", .kind = VALUE_NS_PER_BYTE},
	{"number", "number", VALUE_LONG_NUMBER, .flags = FIELD_SIGNED},
	{"percent", "percent", .kind = VALUE_PERCENT},
	{"range", NULL, VALUE_RANGE, .flags = FIELD_NULL},
	{"names", NULL, .kind = VALUE_NAMES},
	{"other", NULL, VALUE_NAME, .flags = FIELD_OTHER_VALUES | FIELD_JSON, .values = kinds},
	{0},
};

static void double_row(struct report_row *row, const void *data, size_t number)
{
	(void)data;
	put_number(row, number ? INFINITY : 1234.5678);
	put_number(row, 0.018);
	put_number(row, number ? NAN : -1.2345678);
	put_number(row, 2.5);
	put_range(row, 0, INFINITY);
	put_names(row, kinds, 2);
	put_name(row, "prime");
}

static void check_doubles(enum report_format format, const char *expected)
{
	char *text = NULL;
	size_t bytes;
	struct report report = {.stream = open_memstream(&text, &bytes), .format = format,
				.file = "a", .rows = "doubles"};

	assert_non_null(report.stream);
	report_begin(&report, "test-1");
	report_table(&report, &(struct report_table){
		"doubles", .fields = double_fields, .row = double_row, .count = 2});
	report_end(&report);
	fclose(report.stream);
	assert_non_null(strstr(text, expected));
	free(text);
}

static void doubles_may_be_unknown_and_unbounded(void **state)
{
	(void)state;
	check_doubles(REPORT_TEXT, "        time         gap     number  percent\n"
				   " 1.234568 us  0.018 ns/B  -1.234568    2.5 %\n"
				   "   unbounded  0.018 ns/B               2.5 %\n");
	check_doubles(REPORT_CSV, "a,1234.5678,0.018,-1.2345678,2.5,,\na,inf,0.018,,2.5,,\n");
	check_doubles(REPORT_JSON, "{\"time_ns\": null, \"gap\": 0.018, \"number\": null, \"percent\": 2.5,"
				   " \"range\": [0, null], \"names\": [\"even\", \"odd\"], \"other\": \"prime\"}");
	check_doubles(REPORT_SCHEMA, "\"other\": {\"not\": {\"enum\": [\"even\", \"odd\"]}}");
	check_doubles(REPORT_SCHEMA, "\"time_ns\": {\"type\": [\"number\", \"null\"], \"minimum\": 0}");
	check_doubles(REPORT_SCHEMA, "\"number\": {\"type\": \"number\"}");
	check_doubles(REPORT_SCHEMA, "\"range\": {\"type\": [\"array\", \"null\"], \"items\": {\"type\":"
				     " [\"number\", \"null\"], \"minimum\": 0}, \"minItems\": 2, \"maxItems\": 2}");
	check_doubles(REPORT_SCHEMA, "\"names\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}");
}

static const struct report_field line_fields[] = {
	{"runtime_ns", "T", VALUE_NS, .unit = "ns", .quantity = "runtime"},
	{"order_range_ns", NULL, VALUE_RANGE, .unit = "ns", .quantity = "order_range"},
	{"known", NULL, VALUE_TRUTH, .flags = FIELD_OPTIONAL},
	{"tolerance", NULL, .kind = VALUE_NS},
	{"note", NULL, VALUE_NAME, .flags = FIELD_JSON},
	{0},
};

static void line_row(struct report_row *row, const void *data, size_t number)
{
	(void)data;
	put_number(row, 1.5);
	put_range(row, 0, INFINITY);
	if (number == 0)
		put_truth(row, true);
	else
		put_missing(row);
	row_qualify(row, "5");
	put_number(row, NAN);
	put_name(row, "not in CSV");
}

static void csv_may_have_a_line_for_each_value_of_facts_and_tables(void **state)
{
	static const char lines[] = "a,runtime,,ns,1.5\na,order_range_low,,ns,0\na,order_range_high,,ns,inf\n";
	char *text = NULL, expected[1024];
	size_t bytes;
	struct report report = {.stream = open_memstream(&text, &bytes), .format = REPORT_CSV,
				.file = "a", .csv_facts = true, .qualifier = "percent"};

	(void)state;
	assert_non_null(report.stream);
	report_begin(&report, "test-1");
	report_facts(&report, &(struct report_facts){.fields = line_fields, .row = line_row});
	report_table(&report, &(struct report_table){
		"lines", .fields = line_fields, .row = line_row, .count = 2});
	report_end(&report);
	fclose(report.stream);
	snprintf(expected, sizeof expected, "file,quantity,percent,unit,value\n%s%s%s%s%s%s%s", lines,
		 "a,known,,1,1\n", lines, "a,known,,1,1\n", "a,tolerance,5,1,\n",
		 lines, "a,tolerance,5,1,\n");
	assert_string_equal(text, expected);
	free(text);
}

static const struct report_field bare_fields[] = {
	{"number", "", .kind = VALUE_COUNT},
	{"twice", "", .kind = VALUE_COUNT},
	{0},
};

static void bare_row(struct report_row *row, const void *data, size_t number)
{
	(void)data;
	put_count(row, number);
	put_count(row, 2 * number);
}

/* Object `number` of a list: a fact, and a table of `number` rows. */
static void write_object(struct report *report, const void *data, size_t number)
{
	report_facts(report, &(struct report_facts){.fields = named_fields,
						    .row = named_row,
						    .data = data});
	report_table(report, &(struct report_table){"rows", .no_gap = true, .fields = bare_fields,
						    .row = bare_row, .count = number});
}

/* Write a report of a list, or two forms of it; the caller frees the text. */
static char *written_list(enum report_format format, int forms)
{
	char *text = NULL;
	size_t bytes;
	struct report report = {.stream = open_memstream(&text, &bytes),
				.format = format,
				.file = "a",
				.rows = "rows"};

	assert_non_null(report.stream);
	if (forms > 1)
		report_begin_forms(&report);
	for (int i = 0; i < forms; i++) {
		report_begin(&report, "test-1");
		report_list(&report,
			    &(struct report_list){"list", "Objects", write_object, .count = 3});
		report_end(&report);
	}
	if (forms > 1)
		report_end_forms(&report);
	fclose(report.stream);
	return text;
}

static void check_list(enum report_format format, const char *expected)
{
	char *text = written_list(format, 1);

	assert_string_equal(text, expected);
	free(text);
}

static void objects_of_a_list_have_facts_and_tables(void **state)
{
	(void)state;
	check_list(REPORT_TEXT, "0  0\n0  0\n1  2\n");
	check_list(REPORT_CSV, "file,number,twice\na,0,0\na,0,0\na,1,2\n");
	check_list(
		REPORT_JSON,
		"{\n  \"schema\": \"test-1\",\n  \"list\": [\n"
		"    {\n      \"value\": 0,\n      \"rows\": []\n    },\n"
		"    {\n      \"value\": 0,\n      \"rows\": [\n        {\"number\": 0, \"twice\": 0}\n      ]\n    },\n"
		"    {\n      \"value\": 0,\n      \"rows\": [\n        {\"number\": 0, \"twice\": 0},\n"
		"        {\"number\": 1, \"twice\": 2}\n      ]\n    }\n  ]\n}\n");
}

static void no_row(struct report_row *row, const void *data, size_t number)
{
	(void)row, (void)data, (void)number;
}

static void object_row(struct report_row *row, const void *data, size_t number)
{
	const bool ends[] = {true, false};

	(void)data, (void)number;
	put_truths(row, ends, 2);
}

/* Object that has a fact. */
static void write_only_object(struct report *report, const void *data, size_t number)
{
	static const struct report_field known[] = {{"known", NULL, .kind = VALUE_TRUTHS}, {0}};

	(void)data, (void)number;
	report_facts(report, &(struct report_facts){.fields = known, .row = object_row});
}

static void check_object(enum report_format format, const char *expected)
{
	static const struct report_field patterns[] = {{"^rho_", NULL, .kind = VALUE_ANY}, {0}};
	static const struct report_field none[] = {{0}};
	char *text = NULL;
	size_t bytes;
	struct report report = {.stream = open_memstream(&text, &bytes), .format = format, .rows = ""};

	assert_non_null(report.stream);
	report_begin(&report, "test-1");
	report_facts(&report, &(struct report_facts){.fields = none, .row = no_row, .patterns = patterns});
	report_list(&report, &(struct report_list){"object", NULL, write_only_object, .count = 1,
						   .is_object = true});
	report_end(&report);
	fclose(report.stream);
	assert_string_equal(text, expected);
	free(text);
}

static void objects_are_members_and_keys_may_have_patterns(void **state)
{
	(void)state;
	check_object(REPORT_TEXT, "");
	check_object(REPORT_CSV, "");
	check_object(REPORT_JSON, "{\n  \"schema\": \"test-1\",\n  \"object\": {\n"
				  "    \"known\": [true, false]\n  }\n}\n");
	check_object(
		REPORT_SCHEMA,
		"{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
		"  \"type\": \"object\",\n  \"additionalProperties\": false,\n  \"properties\": {\n"
		"    \"schema\": {\"const\": \"test-1\"},\n    \"object\": {\n"
		"      \"type\": \"object\",\n      \"additionalProperties\": false,\n"
		"      \"properties\": {\n        \"known\": {\"type\": \"array\","
		" \"items\": {\"type\": \"boolean\"}}\n      },\n"
		"      \"required\": [\"known\"]\n    }\n  },\n"
		"  \"required\": [\"schema\", \"object\"],\n"
		"  \"patternProperties\": {\n    \"^rho_\": {}\n  }\n}\n");
}

static const struct report_field noted_fields[] = {
	{"slope", "slope", VALUE_SLOPES, .unit = "B"},
	{NULL, "  below", VALUE_SLOPE, .unit = "B"},
	{"share", "share", VALUE_LONG_SHARE, .unit = "1"},
	{"range", "range", VALUE_RANGE, .unit = "ns", .ends = VALUE_NS},
	{"least", "least", VALUE_NS, .unit = "ns"},
	{"unknown", "unknown", VALUE_RANGE, .flags = FIELD_NULL, .ends = VALUE_NS},
	{0},
};

static void noted_row(struct report_row *row, const void *data, size_t number)
{
	(void)data, (void)number;
	row_note(row, "bytes of %s", "all");
	put_slopes(row, 1, 2);
	put_number(row, 1);
	put_number(row, 0.12345678);
	row_note(row, "of L");
	put_range(row, 1500, INFINITY);
	put_number(row, -INFINITY);
	row_note(row, "not told");
	put_none(row);
}

static void check_notes(enum report_format format, const char *expected)
{
	char *text = NULL;
	size_t bytes;
	struct report report = {.stream = open_memstream(&text, &bytes), .format = format,
				.file = "a", .csv_facts = true};

	assert_non_null(report.stream);
	report_begin(&report, "test-1");
	report_facts(&report, &(struct report_facts){.fields = noted_fields, .row = noted_row});
	report_end(&report);
	fclose(report.stream);
	assert_non_null(strstr(text, expected));
	free(text);
}

static void facts_with_notes_are_a_table_of_those_that_are_known(void **state)
{
	(void)state;
	check_notes(REPORT_TEXT, "slope    2 B                  bytes of all\n"
				 "  below  1 B\n"
				 "share    12.34568 %\n"
				 "range    1.5 us to unbounded  of L\n"
				 "least    none\n");
	check_notes(REPORT_CSV, "file,quantity,unit,value\na,slope,B,2\na,slope_left,B,1\n"
				"a,share,1,0.12345678\na,range_low,ns,1500\na,range_high,ns,inf\n"
				"a,least,ns,-inf\n");
	check_notes(REPORT_JSON, "  \"slope\": {\"left\": 1, \"right\": 2},\n"
				 "  \"share\": 0.12345678,\n  \"range\": [1500, null],\n"
				 "  \"least\": null,\n  \"unknown\": null\n}\n");
	check_notes(REPORT_SCHEMA, "\"slope\": {\"type\": \"object\", \"additionalProperties\": false,"
				   " \"required\": [\"left\", \"right\"], \"properties\": {");
}

static const char *after(const char *text, const char *part)
{
	text = strstr(text, part);
	assert_non_null(text);
	return text + strlen(part);
}

static void schema_of_a_list_says_what_its_objects_have(void **state)
{
	char *text = written_list(REPORT_SCHEMA, 1);
	const char *at = text;

	(void)state;
	at = after(
		at,
		"\"list\": {\n      \"description\": \"Objects\",\n      \"type\": \"array\",\n");
	at = after(at, "\"value\": {\"type\": \"integer\", \"minimum\": 0}");
	at = after(at, "\"required\": [\"value\", \"rows\"]");
	after(at, "\"required\": [\"schema\", \"list\"]");
	free(text);
}

static void schema_may_have_forms(void **state)
{
	char *text = written_list(REPORT_SCHEMA, 2);
	const char *at = text;

	(void)state;
	at = after(
		at,
		"{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"oneOf\": [\n    {\n");
	for (int i = 0; i < 2; i++) {
		assert_null(strstr(at, "$schema"));
		at = after(at, "\"schema\": {\"const\": \"test-1\"}");
		at = after(at, "\"required\": [\"schema\", \"list\"]");
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_the_heaviest_rows_and_the_fields_with_headings),
		cmocka_unit_test(json_has_all_rows_and_the_fields_with_keys),
		cmocka_unit_test(csv_has_the_chosen_table_with_the_file_in_each_row),
		cmocka_unit_test(schema_says_what_json_may_have),
		cmocka_unit_test(pages_have_the_table_of_the_text_with_heading_cells),
		cmocka_unit_test(csv_has_a_fact_in_each_line_where_no_table_is_chosen),
		cmocka_unit_test(exact_values_have_all_digits),
		cmocka_unit_test(csv_may_begin_with_other_columns_than_the_file),
		cmocka_unit_test(facts_may_be_lists_and_have_members_that_are_not_named),
		cmocka_unit_test(doubles_may_be_unknown_and_unbounded),
		cmocka_unit_test(csv_may_have_a_line_for_each_value_of_facts_and_tables),
		cmocka_unit_test(objects_of_a_list_have_facts_and_tables),
		cmocka_unit_test(objects_are_members_and_keys_may_have_patterns),
		cmocka_unit_test(facts_with_notes_are_a_table_of_those_that_are_known),
		cmocka_unit_test(schema_of_a_list_says_what_its_objects_have),
		cmocka_unit_test(schema_may_have_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
