/* Picture of a topology. */
#include "common/draw/extent.h"
#include "common/draw/legend.h"
#include "common/draw/palette.h"
#include "llamp/pictures/picture_text.h"
#include "llamp/pictures/pictures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST_NODES = 600, MOST_LINKS = 4000, LABEL_BYTES = 96, CURVE_STEPS = 12 };

static const double margin_px = 32, legend_gap_px = 10, most_node_px = 14, least_node_px = 3;
static const double curve_px = 24, label_gap_px = 8;

struct point {
	double x, y;
};

struct drawing {
	const struct svg *svg;
	const struct topology *topology;
	struct links links;
	struct point *nodes;	/* [node], in px */
	uint32_t *neighbours;	/* [node]: the last that a link joins with it, or itself */
	uint32_t node_count;
	double top, side;	/* the square, in px */
	double node_px;		/* size of a host */
	uint32_t *labelled;	/* hosts with a number */
	uint32_t labelled_count;
};

/* ------------------------------------------------------------------- legend */

/* Styles of hosts and switches are 0 and 1. */
static unsigned link_style(uint32_t class)
{
	static const unsigned styles[] = {6, 2, 3, 4, 5};

	return styles[class % (sizeof styles / sizeof *styles)];
}

struct key {
	struct legend_item items[2 + TOPOLOGY_MOST_CLASSES];
	char labels[2 + TOPOLOGY_MOST_CLASSES][LABEL_BYTES];
	size_t count;
};

static char *add_key(struct key *key, enum legend_kind kind, unsigned style)
{
	char *label = key->labels[key->count];

	key->items[key->count++] = (struct legend_item){label, kind, style};
	return label;
}

static void fill_key(struct key *key, const struct drawing *drawing)
{
	const struct topology *topology = drawing->topology;
	char text[UNIT_TEXT_BYTES], name[TOPOLOGY_TEXT_BYTES];

	snprintf(add_key(key, LEGEND_POINT, 0), LABEL_BYTES, "host");
	if (topology->switch_count)
		snprintf(add_key(key, LEGEND_POINT, 1), LABEL_BYTES, "switch: %s",
			 axis_value(QUANTITY_TIME, report_ns(topology->switch_as), 4, text));
	for (uint32_t i = 0; i < topology->class_count; i++)
		snprintf(add_key(key, LEGEND_THIN, link_style(i)), LABEL_BYTES, "%s: %s",
			 topology_latency_name(topology, i, name),
			 axis_value(QUANTITY_TIME, report_ns(topology->latency_as[i]), 4, text));
}

/* -------------------------------------------------------------------- places */

static double distance(struct point a, struct point b)
{
	return hypot(a.x - b.x, a.y - b.y);
}

/* Place all nodes, and make them so small that none touches another. */
static void place_nodes(struct drawing *drawing)
{
	double nearest = INFINITY;

	for (uint32_t i = 0; i < drawing->node_count; i++) {
		struct point *at = &drawing->nodes[i];

		topology_place(drawing->topology, i, &at->x, &at->y);
		at->x = margin_px + at->x * drawing->side;
		at->y = drawing->top + margin_px + at->y * drawing->side;
		for (uint32_t k = 0; k < i; k++)
			nearest = fmin(nearest, distance(*at, drawing->nodes[k]));
	}
	drawing->node_px = fmax(least_node_px, fmin(most_node_px, 0.7 * nearest));
}

static void find_neighbours(struct drawing *drawing)
{
	for (uint32_t i = 0; i < drawing->node_count; i++)
		drawing->neighbours[i] = i;
	for (size_t i = 0; i < drawing->links.count; i++) {
		const struct link *link = &drawing->links.items[i];

		drawing->neighbours[link->from] = link->to;
		drawing->neighbours[link->to] = link->from;
	}
}

/* Tell whether a link drawn straight would go through the middle of another node, as in grids. */
static bool is_blocked(const struct drawing *drawing, const struct link *link)
{
	const struct point a = drawing->nodes[link->from], b = drawing->nodes[link->to];
	const double length = distance(a, b);

	for (uint32_t i = 0; i < drawing->node_count; i++) {
		const struct point at = drawing->nodes[i];
		const double along = ((at.x - a.x) * (b.x - a.x) + (at.y - a.y) * (b.y - a.y)) / length;
		const double beside = fabs((at.x - a.x) * (b.y - a.y) - (at.y - a.y) * (b.x - a.x)) / length;

		if (i != link->from && i != link->to && along > 0 && along < length &&
		    beside < 1)
			return true;
	}
	return false;
}

/* --------------------------------------------------------------------- links */

/* Draw a link, in a curve above or to the left of nodes between its ends. */
static void draw_link(const struct drawing *drawing, const struct link *link)
{
	const struct point a = drawing->nodes[link->from], b = drawing->nodes[link->to];
	const int steps = is_blocked(drawing, link) ? CURVE_STEPS : 1;
	const double length = distance(a, b);
	const double bend = drawing->node_px + curve_px * length / drawing->side;
	const double side = (b.y - a.y) - (b.x - a.x) > 0 ? -1 : 1;

	svg_path_to(drawing->svg, true, a.x, a.y);
	for (int i = 1; i <= steps; i++) {
		const double t = (double)i / steps;
		const double off = side * bend * 4 * t * (1 - t) / length;

		svg_path_to(drawing->svg, false, a.x + t * (b.x - a.x) + off * (b.y - a.y),
			    a.y + t * (b.y - a.y) - off * (b.x - a.x));
	}
}

static void draw_links(const struct drawing *drawing)
{
	for (uint32_t class = 0; class < drawing->topology->class_count; class++) {
		char name[TOPOLOGY_TEXT_BYTES];

		svg_group(drawing->svg, NULL,
			  topology_latency_name(drawing->topology, class, name));
		snprintf(name, sizeof name, "s%u line dense", link_style(class));
		svg_path(drawing->svg, name);
		for (size_t i = 0; i < drawing->links.count; i++)
			if (drawing->links.items[i].class == class)
				draw_link(drawing, &drawing->links.items[i]);
		svg_path_end(drawing->svg, false);
		svg_group_end(drawing->svg);
	}
}

/* --------------------------------------------------------------------- nodes */

/*
 * Half the width of the number of a host, and its middle: above, below or beside the host, on the
 * side where its link is not.
 */
static double label_extent(const struct drawing *drawing, uint32_t host, struct point *middle)
{
	const struct point at = drawing->nodes[host];
	const struct point other = drawing->nodes[drawing->neighbours[host]];
	const double dx = at.x - other.x, dy = at.y - other.y;
	const double far = drawing->node_px / 2 + label_gap_px;
	char text[LABEL_BYTES];
	double half;

	snprintf(text, sizeof text, "%" PRIu32, host);
	half = text_extent(text, PALETTE_SMALL_PX) / 2;
	if (fabs(dy) >= fabs(dx))
		*middle = (struct point){at.x, at.y + (dy < 0 ? -far : far)};
	else
		*middle = (struct point){at.x + (dx < 0 ? -1 : 1) * (far + half - 4), at.y};
	return half;
}

/* Tell whether the number of a host would cover a node or the number of an earlier host. */
static bool has_room(const struct drawing *drawing, uint32_t host)
{
	struct point middle, other;
	const double half = label_extent(drawing, host, &middle);

	for (uint32_t i = 0; i < drawing->node_count; i++)
		if (fabs(drawing->nodes[i].x - middle.x) < half + drawing->node_px / 2 &&
		    fabs(drawing->nodes[i].y - middle.y) < 6 + drawing->node_px / 2)
			return false;
	for (uint32_t i = 0; i < drawing->labelled_count; i++) {
		const double other_half = label_extent(drawing, drawing->labelled[i], &other);

		if (fabs(other.x - middle.x) < half + other_half + 2 &&
		    fabs(other.y - middle.y) < 15)
			return false;
	}
	return middle.x - half > 0 && middle.x + half < drawing->svg->width;
}

static void draw_number(struct drawing *drawing, uint32_t host)
{
	struct point middle;
	char text[LABEL_BYTES];

	if (!has_room(drawing, host))
		return;
	drawing->labelled[drawing->labelled_count++] = host;
	label_extent(drawing, host, &middle);
	snprintf(text, sizeof text, "%" PRIu32, host);
	svg_text(drawing->svg, "small muted", middle.x, middle.y + 4, SVG_MIDDLE, text);
}

static void draw_nodes(struct drawing *drawing)
{
	const uint32_t hosts = drawing->topology->host_count;

	for (uint32_t i = 0; i < drawing->node_count; i++) {
		char name[TOPOLOGY_TEXT_BYTES];

		svg_group(drawing->svg, NULL, topology_node_name(drawing->topology, i, name));
		svg_point(drawing->svg, i >= hosts, drawing->nodes[i].x, drawing->nodes[i].y,
			  drawing->node_px);
		svg_group_end(drawing->svg);
	}
	for (uint32_t i = 0; i < hosts; i++)
		draw_number(drawing, i);
}

static void draw_all(struct drawing *drawing)
{
	const double width = drawing->svg->width;
	struct key key = {.count = 0};
	char title[TOPOLOGY_TEXT_BYTES];

	fill_key(&key, drawing);
	drawing->top = legend_height(key.items, key.count, width) + legend_gap_px;
	drawing->side = width - 2 * margin_px;
	place_nodes(drawing);
	find_neighbours(drawing);
	svg_begin(drawing->svg, drawing->top + width,
		  topology_description(drawing->topology, title));
	legend_draw(drawing->svg, key.items, key.count, 0, 0, width);
	draw_links(drawing);
	draw_nodes(drawing);
	svg_end(drawing->svg);
}

/* Refuse what nobody could read. */
static int check_size(size_t count, const char *what, size_t most, struct error *err)
{
	if (count <= most)
		return 0;
	return error_set(err, STATUS_LIMIT,
			 "a picture of %zu %s is not readable (at most %zu): draw a smaller"
			 " network of the same kind",
			 count, what, most);
}

int picture_topology(const struct svg *svg, const struct topology *topology, struct error *err)
{
	struct drawing drawing = {.svg = svg, .topology = topology,
				  .node_count = topology->host_count + topology->switch_count};
	int result = -1;

	TRY(check_size(drawing.node_count, "hosts and switches", MOST_NODES, err));
	TRY(topology_links(topology, &drawing.links, err));
	if (check_size(drawing.links.count, "links", MOST_LINKS, err) == 0 &&
	    allocate(&drawing.nodes, drawing.node_count, sizeof *drawing.nodes, err) == 0 &&
	    allocate(&drawing.neighbours, drawing.node_count, sizeof *drawing.neighbours, err) ==
		    0 &&
	    allocate(&drawing.labelled, topology->host_count, sizeof *drawing.labelled, err) == 0) {
		draw_all(&drawing);
		result = 0;
	}
	array_release(&drawing.links);
	free(drawing.nodes);
	free(drawing.neighbours);
	free(drawing.labelled);
	return result;
}
