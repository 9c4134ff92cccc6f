#include "llamp/report/report_topology.h"

#include "common/text.h"

#include <inttypes.h>

struct data {
	const char *path;
	const struct topology *topology;
	const struct topology_survey *survey;
	size_t *group;	/* of the last row of routes */
};

/* The mean over all pairs of hosts. */
static double mean_of(const struct topology_survey *survey, double sum)
{
	return survey->pairs ? sum / (double)survey->pairs : 0;
}

static const struct report_field size_fields[] = {
	{"file", NULL, VALUE_NAME, .flags = FIELD_JSON},
	{"topology", NULL, VALUE_NAME, .flags = FIELD_JSON},
	{"hosts", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE},
	{"switches", NULL, .kind = VALUE_COUNT},
	{"links", NULL, VALUE_COUNT, .flags = FIELD_JSON},
	{0},
};

static void size_row(struct report_row *row, const void *data, size_t number)
{
	const struct data *of = data;

	(void)number;
	put_name(row, of->path);
	put_name(row, topology_name(of->topology));
	put_count(row, of->topology->host_count);
	put_count(row, of->topology->switch_count);
	put_count(row, of->survey->link_count);
}

void put_link_class(struct report_row *row, const struct topology *topology, uint32_t class)
{
	char name[TOPOLOGY_TEXT_BYTES];

	put_name(row, row_in_text(row) ? topology_latency_name(topology, class, name)
				       : topology->classes[class]);
}

/* A text has the switches as a last row. */
static const struct report_field class_fields[] = {
	{"class", "class", VALUE_NAME, .width = 10, .flags = FIELD_JSON},
	{"links", "links", VALUE_COUNT, .width = 10},
	{"latency_ns", "latency", VALUE_ATTOSECONDS, .width = 12, .unit = "ns",
	 .quantity = "link_latency"},
	{0},
};

static void class_row(struct report_row *row, const void *data, size_t number)
{
	const struct data *of = data;
	const struct topology *topology = of->topology;
	const bool is_class = number < topology->class_count;
	char name[TOPOLOGY_TEXT_BYTES];

	if (is_class) {
		row_qualify(row, topology->classes[number]);
		put_link_class(row, topology, (uint32_t)number);
	} else {
		put_name(row, topology_latency_name(topology, topology->class_count, name));
	}
	put_count(row, is_class ? of->survey->links[number] : topology->switch_count);
	put_attoseconds(row, is_class ? topology->latency_as[number] : topology->switch_as);
}

static const struct report_field totals_fields[] = {
	{"switch_ns", NULL, VALUE_ATTOSECONDS, .unit = "ns", .quantity = "switch_latency"},
	{"diameter_links", NULL, VALUE_COUNT, .quantity = "diameter",
	 .meaning = "Links of the longest route"},
	{"diameter_ns", NULL, VALUE_ATTOSECONDS, .flags = FIELD_JSON, .meaning = "Largest latency of a route"},
	{"mean_links", NULL, .kind = VALUE_NUMBER},
	{"mean_ns", NULL, VALUE_NUMBER, .unit = "ns", .quantity = "mean_latency"},
	{"sampled_hosts", NULL, VALUE_COUNT, .flags = FIELD_NULL | FIELD_POSITIVE,
	 .meaning = "Number of hosts whose routes were looked at, if not of all: pairs and means"
		    " are estimates; else null"},
	{"bisection_links", NULL, VALUE_COUNT, .flags = FIELD_NULL, .quantity = "bisection",
	 .meaning = "Links that separate the first half of the hosts from the others; null if not"
		    " computed"},
	{0},
};

static void totals_row(struct report_row *row, const void *data, size_t number)
{
	const struct data *of = data;
	const struct topology_survey *survey = of->survey;

	(void)number;
	put_attoseconds(row, of->topology->switch_as);
	put_count(row, survey->diameter_links);
	put_attoseconds(row, survey->diameter_as);
	put_number(row, mean_of(survey, survey->sum_links));
	put_number(row, mean_of(survey, report_ns(survey->sum_as)));
	put_count_or_none(row, survey->sampled_hosts, survey->sampled_hosts > 0);
	put_count_or_none(row, survey->bisection, survey->bisection != UINT64_MAX);
}

static const struct report_field group_fields[] = {
	{"links", "links", VALUE_COUNT, .width = 5, .flags = FIELD_JSON},
	{"switches", "switches", VALUE_COUNT, .width = 8, .flags = FIELD_JSON},
	{"pairs", "pairs", VALUE_COUNT, .width = 12},
	{NULL, "share", VALUE_SHARE, .width = 8},
	{"least_ns", "least", VALUE_ATTOSECONDS, .width = 12, .unit = "ns", .quantity = "least_latency"},
	{"most_ns", "most latency", VALUE_ATTOSECONDS, .width = 12, .unit = "ns",
	 .quantity = "most_latency"},
	{0},
};

/* Row of the next group that has pairs. */
static void group_row(struct report_row *row, const void *data, size_t number)
{
	const struct data *of = data;
	const struct route_group *groups = of->survey->groups.items;
	size_t links = number == 0 ? 0 : *of->group + 1;
	char key[UNIT_TEXT_BYTES];

	while (!groups[links].pairs)
		links++;
	*of->group = links;
	snprintf(key, sizeof key, "%zu", links);
	row_qualify(row, key);
	put_count(row, links);
	put_count(row, links - 1);
	put_count(row, groups[links].pairs);
	put_share(row, groups[links].pairs, of->survey->pairs);
	put_attoseconds(row, groups[links].least_as);
	put_attoseconds(row, groups[links].most_as);
}

static void print_bisection(const struct report *report, const struct data *data)
{
	const uint32_t hosts = data->topology->host_count;

	if (hosts < 2)
		return;
	if (data->survey->bisection == UINT64_MAX)
		report_line(report, "bisection", "not computed: more than %d links",
			    TOPOLOGY_BISECTION_LINKS);
	else
		report_line(report, "bisection", "%" PRIu64 " link%s between %s%u and the others",
			    data->survey->bisection, plural(data->survey->bisection),
			    hosts < 4 ? "host " : "hosts 0 to ", hosts / 2 - 1);
}

static void print_totals(const struct report *report, const struct data *data)
{
	const struct topology_survey *survey = data->survey;
	char most[UNIT_TEXT_BYTES], mean[UNIT_TEXT_BYTES];

	report_line(report, "topology", "%s", topology_name(data->topology));
	report_line(report, "size", "%u hosts, %u switches, %" PRIu64 " links",
		    data->topology->host_count, data->topology->switch_count,
		    data->survey->link_count);
	if (data->survey->pairs) {
		report_line(report, "diameter", "%u links, at most %s", survey->diameter_links,
			    report_time(report_ns(survey->diameter_as), most));
		report_line(report, "mean route", "%.4g links, %s",
			    mean_of(survey, survey->sum_links),
			    report_time(mean_of(survey, report_ns(survey->sum_as)), mean));
	}
	if (data->survey->sampled_hosts)
		report_line(report, "sample",
			    "routes from %u of %u hosts: pairs and means are estimates",
			    data->survey->sampled_hosts, data->topology->host_count);
	print_bisection(report, data);
}

static void write_topology(struct report *report, const struct data *data)
{
	report_begin(report, "llamp-topology-1");
	print_totals(report, data);
	report_facts(report, &(struct report_facts){
		.fields = size_fields, .row = size_row, .data = data});
	report_table(report, &(struct report_table){
		"classes", .fields = class_fields, .row = class_row, .data = data,
		.count = data->topology->class_count + (report->format == REPORT_TEXT)});
	report_facts(report, &(struct report_facts){
		.fields = totals_fields, .row = totals_row, .data = data});
	report_table(report,
		     &(struct report_table){"routes",
					    .meaning = "Pairs of hosts by the links of their route",
					    .title = "routes", .fields = group_fields,
					    .row = group_row, .data = data,
					    .count = data->survey->distances});
	report_end(report);
}

static void topology_columns(FILE *stream, const void *data, bool names)
{
	const struct data *of = data;

	text_print_csv(stream, names ? "file" : of->path);
	fprintf(stream, ",%s", names ? "topology" : topology_name(of->topology));
}

void report_topology(struct report *report, const struct topology *topology,
		     const struct topology_survey *survey)
{
	size_t group = 0;
	const struct data data = {report->file, topology, survey, &group};

	report->csv_facts = true;
	report->qualifier = "key"; /* class, or number of links of a route */
	report->first_columns = topology_columns;
	report->first_data = &data;
	write_topology(report, &data);
}
