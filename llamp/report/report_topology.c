#include "llamp/report/report_topology.h"

#include "common/table.h"
#include "common/text.h"

struct data {
	const char *path;
	const struct topology *topology;
	const struct topology_survey *survey;
};

/* The largest number of links of a route, and the sums over all pairs. */
struct totals {
	uint32_t most_links;
	__int128 most_as;
	double mean_links, mean_ns;
};

static struct totals totals_of(const struct topology_survey *survey)
{
	struct totals totals = {0};
	double links = 0;
	__int128 sum_as = 0;

	for (uint32_t i = 0; i < survey->groups.count; i++) {
		const struct route_group *group = &survey->groups.items[i];

		if (!group->pairs)
			continue;
		totals.most_links = i;
		totals.most_as = group->most_as > totals.most_as ? group->most_as : totals.most_as;
		links += (double)i * (double)group->pairs;
		sum_as += group->sum_as;
	}
	if (survey->pairs) {
		totals.mean_links = links / (double)survey->pairs;
		totals.mean_ns = report_ns(sum_as) / (double)survey->pairs;
	}
	return totals;
}

/* Index in survey->groups of the n-th group that has pairs. */
static size_t nth_group(const struct topology_survey *survey, size_t number)
{
	size_t i = 0;

	while (!survey->groups.items[i].pairs || number-- > 0)
		i++;
	return i;
}

static size_t count_groups(const struct topology_survey *survey)
{
	size_t count = 0;

	for (size_t i = 0; i < survey->groups.count; i++)
		count += survey->groups.items[i].pairs > 0;
	return count;
}

/* ------------------------------------------------------------------------ text */

static void class_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct data *of = data;
	const struct topology *topology = of->topology;
	char text[UNIT_TEXT_BYTES];

	if (number < topology->class_count) {
		snprintf(cells[0], TABLE_CELL_BYTES, "l_%s", topology->classes[number]);
		snprintf(cells[1], TABLE_CELL_BYTES, "%llu",
			 (unsigned long long)of->survey->links[number]);
		snprintf(cells[2], TABLE_CELL_BYTES, "%s",
			 report_time(report_ns(topology->latency_as[number]), text));
	} else {
		snprintf(cells[0], TABLE_CELL_BYTES, "d_switch");
		snprintf(cells[1], TABLE_CELL_BYTES, "%u", topology->switch_count);
		snprintf(cells[2], TABLE_CELL_BYTES, "%s",
			 report_time(report_ns(topology->switch_as), text));
	}
}

static void group_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct topology_survey *survey = ((const struct data *)data)->survey;
	const size_t links = nth_group(survey, number);
	const struct route_group *group = &survey->groups.items[links];
	char text[UNIT_TEXT_BYTES];

	snprintf(cells[0], TABLE_CELL_BYTES, "%zu", links);
	snprintf(cells[1], TABLE_CELL_BYTES, "%zu", links - 1);
	snprintf(cells[2], TABLE_CELL_BYTES, "%llu", (unsigned long long)group->pairs);
	snprintf(cells[3], TABLE_CELL_BYTES, "%.2f %%",
		 100 * (double)group->pairs / (double)survey->pairs);
	snprintf(cells[4], TABLE_CELL_BYTES, "%s", report_time(report_ns(group->least_as), text));
	snprintf(cells[5], TABLE_CELL_BYTES, "%s", report_time(report_ns(group->most_as), text));
}

static void print_bisection(FILE *stream, const struct data *data)
{
	const uint32_t hosts = data->topology->host_count;

	if (hosts < 2)
		return;
	if (data->survey->bisection == UINT64_MAX)
		fprintf(stream, "bisection   not computed: more than %d links\n",
			TOPOLOGY_BISECTION_LINKS);
	else
		fprintf(stream, "bisection   %llu link%s between %s%u and the others\n",
			(unsigned long long)data->survey->bisection,
			plural(data->survey->bisection), hosts < 4 ? "host " : "hosts 0 to ",
			hosts / 2 - 1);
}

static void topology_text(FILE *stream, const struct data *data)
{
	const struct topology *topology = data->topology;
	const struct totals totals = totals_of(data->survey);
	const struct table_column classes[] = {
		{"class", TABLE_LEFT, 10}, {"links", TABLE_RIGHT, 10}, {"latency", TABLE_RIGHT, 12},
	};
	const struct table_column groups[] = {
		{"links", TABLE_RIGHT, 5},     {"switches", TABLE_RIGHT, 8},
		{"pairs", TABLE_RIGHT, 12},    {"share", TABLE_RIGHT, 8},
		{"least", TABLE_RIGHT, 12},    {"most latency", TABLE_RIGHT, 12},
	};
	char most[UNIT_TEXT_BYTES], mean[UNIT_TEXT_BYTES];

	fprintf(stream, "topology    %s\n", topology_name(topology));
	fprintf(stream, "size        %u hosts, %u switches, %llu links\n", topology->host_count,
		topology->switch_count, (unsigned long long)data->survey->link_count);
	if (data->survey->pairs) {
		fprintf(stream, "diameter    %u links, at most %s\n", totals.most_links,
			report_time(report_ns(totals.most_as), most));
		fprintf(stream, "mean route  %.4g links, %s\n", totals.mean_links,
			report_time(totals.mean_ns, mean));
	}
	if (data->survey->sampled_hosts)
		fprintf(stream, "sample      routes from %u of %u hosts: pairs and means are estimates\n",
			data->survey->sampled_hosts, topology->host_count);
	print_bisection(stream, data);
	fputc('\n', stream);
	table_print(stream, classes, 3, topology->class_count + 1, class_row, data);
	if (!data->survey->pairs)
		return;
	fputs("\nroutes\n", stream);
	table_print(stream, groups, 6, count_groups(data->survey), group_row, data);
}

/* ------------------------------------------------------------------------ JSON */

static void json_classes(struct json *json, const struct data *data)
{
	const struct topology *topology = data->topology;

	json_begin(json, "classes", '[', JSON_LINES);
	for (uint32_t i = 0; i < topology->class_count; i++) {
		json_begin(json, NULL, '{', JSON_INLINE);
		json_text(json, "class", topology->classes[i]);
		json_integer(json, "links", data->survey->links[i]);
		json_attoseconds(json, "latency_ns", topology->latency_as[i]);
		json_end(json);
	}
	json_end(json);
	json_attoseconds(json, "switch_ns", topology->switch_as);
}

static void json_routes(struct json *json, const struct topology_survey *survey)
{
	json_begin(json, "routes", '[', JSON_LINES);
	for (size_t i = 0; i < survey->groups.count; i++) {
		const struct route_group *group = &survey->groups.items[i];

		if (!group->pairs)
			continue;
		json_begin(json, NULL, '{', JSON_INLINE);
		json_integer(json, "links", i);
		json_integer(json, "switches", i - 1);
		json_integer(json, "pairs", group->pairs);
		json_attoseconds(json, "least_ns", group->least_as);
		json_attoseconds(json, "most_ns", group->most_as);
		json_end(json);
	}
	json_end(json);
}

static void topology_json(FILE *stream, const struct data *data)
{
	const struct totals totals = totals_of(data->survey);
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	json_text(&json, "schema", "llamp-topology-1");
	json_text(&json, "file", data->path);
	json_text(&json, "topology", topology_name(data->topology));
	json_integer(&json, "hosts", data->topology->host_count);
	json_integer(&json, "switches", data->topology->switch_count);
	json_integer(&json, "links", data->survey->link_count);
	json_classes(&json, data);
	json_integer(&json, "diameter_links", totals.most_links);
	json_attoseconds(&json, "diameter_ns", totals.most_as);
	json_number(&json, "mean_links", totals.mean_links);
	json_number(&json, "mean_ns", totals.mean_ns);
	if (data->survey->sampled_hosts)
		json_integer(&json, "sampled_hosts", data->survey->sampled_hosts);
	else
		json_null(&json, "sampled_hosts");
	if (data->survey->bisection == UINT64_MAX)
		json_null(&json, "bisection_links");
	else
		json_integer(&json, "bisection_links", data->survey->bisection);
	json_routes(&json, data->survey);
	json_end(&json);
}

/* ------------------------------------------------------------------------- CSV */

/* Line of CSV: `key` is a class or the number of links of a route, or "". */
static void csv_fact(FILE *stream, const struct data *data, const char *quantity, const char *key,
		     const char *unit, double value)
{
	char text[NUMBER_TEXT_BYTES];

	text_print_csv(stream, data->path);
	fprintf(stream, ",%s,%s,%s,%s,%s\n", topology_name(data->topology), quantity, key, unit,
		number_text(value, text));
}

static void csv_routes(FILE *stream, const struct data *data)
{
	const struct topology_survey *survey = data->survey;

	for (size_t i = 0; i < survey->groups.count; i++) {
		const struct route_group *group = &survey->groups.items[i];
		char links[NUMBER_TEXT_BYTES];

		if (!group->pairs)
			continue;
		snprintf(links, sizeof links, "%zu", i);
		csv_fact(stream, data, "pairs", links, "1", (double)group->pairs);
		csv_fact(stream, data, "least_latency", links, "ns", report_ns(group->least_as));
		csv_fact(stream, data, "most_latency", links, "ns", report_ns(group->most_as));
	}
}

static void topology_csv(FILE *stream, const struct data *data)
{
	const struct topology *topology = data->topology;
	const struct totals totals = totals_of(data->survey);

	fputs("file,topology,quantity,key,unit,value\n", stream);
	csv_fact(stream, data, "hosts", "", "1", topology->host_count);
	csv_fact(stream, data, "switches", "", "1", topology->switch_count);
	for (uint32_t i = 0; i < topology->class_count; i++) {
		csv_fact(stream, data, "links", topology->classes[i], "1",
			 (double)data->survey->links[i]);
		csv_fact(stream, data, "link_latency", topology->classes[i], "ns",
			 report_ns(topology->latency_as[i]));
	}
	csv_fact(stream, data, "switch_latency", "", "ns", report_ns(topology->switch_as));
	csv_fact(stream, data, "diameter", "", "1", totals.most_links);
	csv_fact(stream, data, "mean_links", "", "1", totals.mean_links);
	csv_fact(stream, data, "mean_latency", "", "ns", totals.mean_ns);
	if (data->survey->sampled_hosts)
		csv_fact(stream, data, "sampled_hosts", "", "1", data->survey->sampled_hosts);
	if (data->survey->bisection != UINT64_MAX)
		csv_fact(stream, data, "bisection", "", "1", (double)data->survey->bisection);
	csv_routes(stream, data);
}

void report_topology(FILE *stream, enum report_format format, const char *path,
		     const struct topology *topology, const struct topology_survey *survey)
{
	const struct data data = {path, topology, survey};

	switch (format) {
	case REPORT_TEXT:
		topology_text(stream, &data);
		break;
	case REPORT_JSON:
		topology_json(stream, &data);
		break;
	case REPORT_CSV:
		topology_csv(stream, &data);
		break;
	}
}
