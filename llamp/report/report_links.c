#include "llamp/report/report_links.h"

#include "common/options.h"
#include "common/table.h"
#include "common/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NODE_BYTES = 32, MOST_LINES = 10 };

/* Name a node: "host 3", "switch 12", each counted from 0. */
static const char *node_name(const struct topology *topology, uint32_t node,
			     char name[static NODE_BYTES])
{
	const bool is_host = node < topology->host_count;

	snprintf(name, NODE_BYTES, "%s %" PRIu32, is_host ? "host" : "switch",
		 is_host ? node : node - topology->host_count);
	return name;
}

static void link_cells(const struct topology *topology, const struct hop *hop,
		       char cells[][TABLE_CELL_BYTES])
{
	node_name(topology, hop->from, cells[0]);
	node_name(topology, hop->to, cells[1]);
	snprintf(cells[2], TABLE_CELL_BYTES, "l_%s", topology->classes[hop->class]);
}

static void json_link(struct json *json, const struct topology *topology, const struct hop *hop)
{
	char name[NODE_BYTES];

	json_begin(json, NULL, '{', JSON_INLINE);
	json_text(json, "from", node_name(topology, hop->from, name));
	json_text(json, "to", node_name(topology, hop->to, name));
	json_text(json, "class", topology->classes[hop->class]);
	json_integer(json, "parallel", hop->parallel);
}

static void csv_link(FILE *stream, const struct topology *topology, const struct hop *hop)
{
	char from[NODE_BYTES], to[NODE_BYTES];

	fprintf(stream, "%s,%s,%s,%" PRIu32, node_name(topology, hop->from, from),
		node_name(topology, hop->to, to), topology->classes[hop->class], hop->parallel);
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

static void hop_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct route_data *route = data;
	const struct hop *hop = &route->hops.items[number];

	link_cells(route->topology, hop, cells);
	report_time(report_ns(route->topology->latency_as[hop->class]), cells[3]);
}

static void route_text(FILE *stream, const struct route_data *route)
{
	static const struct table_column columns[] = {
		{"from", TABLE_LEFT, 10}, {"to", TABLE_LEFT, 10}, {"class", TABLE_LEFT, 10},
		{"latency", TABLE_RIGHT, 12},
	};
	char time[UNIT_TEXT_BYTES];

	fprintf(stream, "topology    %s of %" PRIu32 " host%s\n", topology_name(route->topology),
		route->topology->host_count, plural(route->topology->host_count));
	fprintf(stream, "route       host %" PRIu32 " to host %" PRIu32 ": %zu link%s, %" PRIu32
			" switch%s, %s\n",
		route->from, route->to, route->hops.count, plural(route->hops.count),
		route->switches, route->switches == 1 ? "" : "es",
		report_time(report_ns(route->latency_as), time));
	if (!route->hops.count)
		return;
	fprintf(stream, "switch      %s\n\n",
		report_time(report_ns(route->topology->switch_as), time));
	table_print(stream, columns, 4, route->hops.count, hop_row, route);
}

static void route_json(FILE *stream, const struct route_data *route)
{
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	json_text(&json, "schema", "llamp-topology-route-1");
	json_text(&json, "file", route->path);
	json_text(&json, "topology", topology_name(route->topology));
	json_integer(&json, "from_host", route->from);
	json_integer(&json, "to_host", route->to);
	json_integer(&json, "switches", route->switches);
	json_attoseconds(&json, "switch_ns", route->topology->switch_as);
	json_attoseconds(&json, "latency_ns", route->latency_as);
	json_begin(&json, "links", '[', JSON_LINES);
	for (size_t i = 0; i < route->hops.count; i++) {
		const struct hop *hop = &route->hops.items[i];

		json_link(&json, route->topology, hop);
		json_attoseconds(&json, "latency_ns", route->topology->latency_as[hop->class]);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
}

static void route_csv(FILE *stream, const struct route_data *route)
{
	fputs("file,topology,from_host,to_host,hop,from,to,class,parallel,latency_ns\n", stream);
	for (size_t i = 0; i < route->hops.count; i++) {
		const struct hop *hop = &route->hops.items[i];
		char latency[NUMBER_TEXT_BYTES];

		text_print_csv(stream, route->path);
		fprintf(stream, ",%s,%" PRIu32 ",%" PRIu32 ",%zu,", topology_name(route->topology),
			route->from, route->to, i);
		csv_link(stream, route->topology, hop);
		fprintf(stream, ",%s\n",
			attoseconds_text(route->topology->latency_as[hop->class], latency));
	}
}

int report_route(FILE *stream, enum report_format format, const char *path,
		 const struct topology *topology, uint32_t from, uint32_t to, struct error *err)
{
	struct route_data data = {.topology = topology, .path = path, .from = from, .to = to};
	struct route route;

	topology_route(topology, from, to, &route);
	data.switches = route.switches;
	data.latency_as = topology_latency(topology, &route);
	if (topology_hops(topology, from, to, &data.hops, err) < 0) {
		array_release(&data.hops);
		return -1;
	}
	(format == REPORT_TEXT ? route_text : format == REPORT_JSON ? route_json : route_csv)(
		stream, &data);
	array_release(&data.hops);
	return 0;
}

/* ------------------------------------------------------------------------ load */

struct load_data {
	const struct topology *topology;
	const char *path, *graph;
	const struct link_load *load;
};

/* Links of a class that have a message, in both directions. */
struct class_load {
	uint64_t links, messages, bytes, most_bytes;
};

static struct class_load class_load_of(const struct link_load *load, uint32_t class)
{
	struct class_load sum = {0};

	for (size_t i = 0; i < load->links.count; i++) {
		const struct loaded_link *link = &load->links.items[i];

		if (link->hop.class != class)
			continue;
		sum.links++;
		sum.messages += link->messages;
		sum.bytes += link->bytes;
		sum.most_bytes = link->bytes > sum.most_bytes ? link->bytes : sum.most_bytes;
	}
	return sum;
}

static void class_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct load_data *of = data;
	const struct class_load sum = class_load_of(of->load, (uint32_t)number);

	snprintf(cells[0], TABLE_CELL_BYTES, "l_%s", of->topology->classes[number]);
	snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, sum.links);
	snprintf(cells[2], TABLE_CELL_BYTES, "%" PRIu64, sum.messages);
	snprintf(cells[3], TABLE_CELL_BYTES, "%" PRIu64 " B", sum.bytes);
	snprintf(cells[4], TABLE_CELL_BYTES, "%" PRIu64 " B", sum.most_bytes);
}

static void link_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct load_data *of = data;
	const struct loaded_link *link = &of->load->links.items[number];

	link_cells(of->topology, &link->hop, cells);
	snprintf(cells[3], TABLE_CELL_BYTES, "%" PRIu64, link->messages);
	snprintf(cells[4], TABLE_CELL_BYTES, "%" PRIu64 " B", link->bytes);
}

static void load_text(FILE *stream, const struct load_data *data)
{
	static const struct table_column classes[] = {
		{"class", TABLE_LEFT, 10},	{"loaded", TABLE_RIGHT, 8},
		{"messages", TABLE_RIGHT, 10},	{"bytes", TABLE_RIGHT, 14},
		{"most on a link", TABLE_RIGHT, 14},
	};
	static const struct table_column links[] = {
		{"from", TABLE_LEFT, 10},      {"to", TABLE_LEFT, 10}, {"class", TABLE_LEFT, 10},
		{"messages", TABLE_RIGHT, 10}, {"bytes", TABLE_RIGHT, 14},
	};
	const struct link_load *load = data->load;
	const size_t count = load->links.count;

	fprintf(stream, "topology    %s of %" PRIu32 " host%s\n", topology_name(data->topology),
		data->topology->host_count, plural(data->topology->host_count));
	fprintf(stream, "messages    %" PRIu64 " with %" PRIu64 " B; %" PRIu64 " within a host\n\n",
		load->messages, load->bytes, load->inside);
	table_print(stream, classes, 5, data->topology->class_count, class_row, data);
	if (!count)
		return;
	fputs("\nlinks with most bytes, in one direction\n", stream);
	table_print(stream, links, 5, count < MOST_LINES ? count : MOST_LINES, link_row, data);
	if (count > MOST_LINES)
		fprintf(stream, "and %zu more; --format csv lists all\n", count - MOST_LINES);
}

static void load_json(FILE *stream, const struct load_data *data)
{
	const struct link_load *load = data->load;
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	json_text(&json, "schema", "llamp-topology-load-1");
	json_text(&json, "file", data->path);
	json_text(&json, "graph", data->graph);
	json_text(&json, "topology", topology_name(data->topology));
	json_integer(&json, "messages", load->messages);
	json_integer(&json, "bytes", load->bytes);
	json_integer(&json, "messages_within_hosts", load->inside);
	json_begin(&json, "links", '[', JSON_LINES);
	for (size_t i = 0; i < load->links.count; i++) {
		json_link(&json, data->topology, &load->links.items[i].hop);
		json_integer(&json, "messages", load->links.items[i].messages);
		json_integer(&json, "bytes", load->links.items[i].bytes);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
}

static void load_csv(FILE *stream, const struct load_data *data)
{
	fputs("file,graph,topology,from,to,class,parallel,messages,bytes\n", stream);
	for (size_t i = 0; i < data->load->links.count; i++) {
		const struct loaded_link *link = &data->load->links.items[i];

		text_print_csv(stream, data->path);
		putc(',', stream);
		text_print_csv(stream, data->graph);
		fprintf(stream, ",%s,", topology_name(data->topology));
		csv_link(stream, data->topology, &link->hop);
		fprintf(stream, ",%" PRIu64 ",%" PRIu64 "\n", link->messages, link->bytes);
	}
}

void report_load(FILE *stream, enum report_format format, const char *path, const char *graph,
		 const struct topology *topology, const struct link_load *load)
{
	const struct load_data data = {topology, path, graph, load};

	(format == REPORT_TEXT ? load_text : format == REPORT_JSON ? load_json : load_csv)(stream,
											   &data);
}
