#include "llamp/report/report_links.h"

#include "common/options.h"
#include "common/text.h"
#include "llamp/report/report_topology.h"

#include <inttypes.h>

enum { MOST_LINES = 10 };

/* From, to, class and number of a link. */
#define LINK_FIELDS                                                                             \
	{"from", "from", VALUE_NAME, .width = 10,                                               \
	 .meaning = "\"host N\" or \"switch N\", counted from 0"},                              \
	{"to", "to", VALUE_NAME, .width = 10},                                                  \
	{"class", "class", VALUE_NAME, .width = 10},                                            \
	{"parallel", NULL, VALUE_COUNT, .meaning = "Tells apart links between the same nodes"}

static void put_link(struct report_row *row, const struct topology *topology, const struct hop *hop)
{
	char name[TOPOLOGY_TEXT_BYTES];

	put_name(row, topology_node_name(topology, hop->from, name));
	put_name(row, topology_node_name(topology, hop->to, name));
	put_link_class(row, topology, hop->class);
	put_count(row, hop->parallel);
}

static void print_topology(const struct report *report, const struct topology *topology)
{
	char text[TOPOLOGY_TEXT_BYTES];

	report_line(report, "topology", "%s", topology_description(topology, text));
}

/* ----------------------------------------------------------------------- route */

struct route_data {
	const struct topology *topology;
	const char *path;
	uint32_t from, to;
	struct hops hops;
	uint32_t switches;
	__int128 latency_as;
};

static const struct report_field route_fields[] = {
	{"file", NULL, VALUE_NAME, .meaning = "The parameter file"},
	{"topology", NULL, .kind = VALUE_NAME},
	{"from_host", NULL, .kind = VALUE_COUNT},
	{"to_host", NULL, .kind = VALUE_COUNT},
	{"switches", NULL, .kind = VALUE_COUNT},
	{"switch_ns", NULL, VALUE_ATTOSECONDS, .meaning = "Latency of each switch"},
	{"latency_ns", NULL, VALUE_ATTOSECONDS,
	 .meaning = "Latency of the route: of its links and switches"},
	{0},
};

static void route_row(struct report_row *row, const void *data, size_t number)
{
	const struct route_data *route = data;

	(void)number;
	put_name(row, route->path);
	put_name(row, topology_name(route->topology));
	put_count(row, route->from);
	put_count(row, route->to);
	put_count(row, route->switches);
	put_attoseconds(row, route->topology->switch_as);
	put_attoseconds(row, route->latency_as);
}

static const struct report_field hop_fields[] = {
	{"topology", NULL, VALUE_NAME, .flags = FIELD_CSV},
	{"from_host", NULL, VALUE_COUNT, .flags = FIELD_CSV},
	{"to_host", NULL, VALUE_COUNT, .flags = FIELD_CSV},
	{"hop", NULL, VALUE_COUNT, .flags = FIELD_CSV},
	LINK_FIELDS,
	{"latency_ns", "latency", VALUE_ATTOSECONDS, .width = 12},
	{0},
};

static void hop_row(struct report_row *row, const void *data, size_t number)
{
	const struct route_data *route = data;
	const struct hop *hop = &route->hops.items[number];

	put_name(row, topology_name(route->topology));
	put_count(row, route->from);
	put_count(row, route->to);
	put_count(row, number);
	put_link(row, route->topology, hop);
	put_attoseconds(row, route->topology->latency_as[hop->class]);
}

static void write_route(struct report *report, const struct route_data *route)
{
	char time[UNIT_TEXT_BYTES];

	report->rows = "links";
	report_begin(report, "llamp-topology-route-1");
	print_topology(report, route->topology);
	report_line(report, "route", "host %" PRIu32 " to host %" PRIu32 ": %zu link%s, %" PRIu32
		    " switch%s, %s",
		    route->from, route->to, route->hops.count, plural(route->hops.count),
		    route->switches, route->switches == 1 ? "" : "es",
		    report_time(report_ns(route->latency_as), time));
	if (route->hops.count)
		report_line(report, "switch", "%s",
			    report_time(report_ns(route->topology->switch_as), time));
	report_facts(report, &(struct report_facts){
		.fields = route_fields, .row = route_row, .data = route});
	report_table(report, &(struct report_table){
		"links", .meaning = "In the order of the route", .fields = hop_fields,
		.row = hop_row, .data = route, .count = route->hops.count});
	report_end(report);
}

int report_route(struct report *report, const struct topology *topology, uint32_t from,
		 uint32_t to, struct error *err)
{
	struct route_data data = {.topology = topology, .path = report->file, .from = from, .to = to};
	struct route route;
	int result;

	topology_route(topology, from, to, &route);
	data.switches = route.switches;
	data.latency_as = topology_latency(topology, &route);
	result = topology_hops(topology, from, to, &data.hops, err);
	if (result == 0)
		write_route(report, &data);
	array_release(&data.hops);
	return result;
}

/* ------------------------------------------------------------------------ load */

struct load_data {
	const struct topology *topology;
	const char *path, *graph;
	const struct link_load *load;
};

static const struct report_field load_fields[] = {
	{"file", NULL, VALUE_NAME, .meaning = "The parameter file"},
	{"graph", NULL, VALUE_NAME, .meaning = "The GOAL graph"},
	{"topology", NULL, .kind = VALUE_NAME},
	{"messages", NULL, VALUE_COUNT, .meaning = "Messages of the graph"},
	{"bytes", NULL, VALUE_BYTES, .meaning = "Bytes of these messages"},
	{"messages_within_hosts", NULL, VALUE_COUNT,
	 .meaning = "Messages between ranks of one host, which pass no link"},
	{0},
};

static void load_row(struct report_row *row, const void *data, size_t number)
{
	const struct load_data *of = data;

	(void)number;
	put_name(row, of->path);
	put_name(row, of->graph);
	put_name(row, topology_name(of->topology));
	put_count(row, of->load->messages);
	put_count(row, of->load->bytes);
	put_count(row, of->load->inside);
}

/* In text only: sums of the links of a class that have a message, in both directions. */
static const struct report_field class_fields[] = {
	{NULL, "class", VALUE_NAME, .width = 10},
	{NULL, "loaded", VALUE_COUNT, .width = 8},
	{NULL, "messages", VALUE_COUNT, .width = 10},
	{NULL, "bytes", VALUE_ALL_BYTES, .width = 14},
	{NULL, "most on a link", VALUE_ALL_BYTES, .width = 14},
	{0},
};

static void class_row(struct report_row *row, const void *data, size_t number)
{
	const struct load_data *of = data;
	uint64_t links = 0, messages = 0, bytes = 0, most_bytes = 0;

	for (size_t i = 0; i < of->load->links.count; i++) {
		const struct loaded_link *link = &of->load->links.items[i];

		if (link->hop.class != number)
			continue;
		links++;
		messages += link->messages;
		bytes += link->bytes;
		most_bytes = link->bytes > most_bytes ? link->bytes : most_bytes;
	}
	put_link_class(row, of->topology, (uint32_t)number);
	put_count(row, links);
	put_count(row, messages);
	put_count(row, bytes);
	put_count(row, most_bytes);
}

static const struct report_field link_fields[] = {
	{"graph", NULL, VALUE_NAME, .flags = FIELD_CSV},
	{"topology", NULL, VALUE_NAME, .flags = FIELD_CSV},
	LINK_FIELDS,
	{"messages", "messages", VALUE_COUNT, .width = 10},
	{"bytes", "bytes", VALUE_ALL_BYTES, .width = 14},
	{0},
};

static void link_row(struct report_row *row, const void *data, size_t number)
{
	const struct load_data *of = data;
	const struct loaded_link *link = &of->load->links.items[number];

	put_name(row, of->graph);
	put_name(row, topology_name(of->topology));
	put_link(row, of->topology, &link->hop);
	put_count(row, link->messages);
	put_count(row, link->bytes);
}

void report_load(struct report *report, const char *graph, const struct topology *topology,
		 const struct link_load *load)
{
	const struct load_data data = {topology, report->file, graph, load};

	report->rows = "links";
	report_begin(report, "llamp-topology-load-1");
	print_topology(report, topology);
	report_line(report, "messages", "%" PRIu64 " with %" PRIu64 " B; %" PRIu64 " within a host",
		    load->messages, load->bytes, load->inside);
	report_facts(report, &(struct report_facts){
		.fields = load_fields, .row = load_row, .data = &data});
	report_table(report, &(struct report_table){
		.fields = class_fields, .row = class_row, .data = &data,
		.count = topology->class_count});
	report_table(report, &(struct report_table){
		"links", .meaning = "Links with a message, each direction for itself; most bytes first",
		.title = "links with most bytes, in one direction",
		.fields = link_fields, .row = link_row, .data = &data,
		.count = load->links.count, .most = MOST_LINES, .counts_rest = true,
		.lists_all = "--format csv"});
	report_end(report);
}
