/* Pictures of networks: every link is drawn, inside the picture, and no number covers another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "llamp/pictures/pictures.h"
#include "test/unit/lib/check/svg_check.h"
#include "test/unit/lib/must.h"

/* Read a topology from the text of its mapping. */
static void read_topology(struct topology *topology, const char *text)
{
	char path[] = "/tmp/test_topology_pictures.XXXXXX";
	FILE *stream = fdopen(mkstemp(path), "w");
	struct yaml_file file;
	struct error err;

	assert_non_null(stream);
	fprintf(stream, "topology: {%s}\n", text);
	fclose(stream);
	MUST(yaml_file_open(&file, path, &err));
	MUST(topology_read(topology, &file, file.root->first, &err));
	yaml_file_release(&file);
	unlink(path);
}

/* Count the lines of all links: each begins with M in a path of a class of links. */
static size_t lines_of(const char *svg)
{
	size_t count = 0;

	for (const char *at = strstr(svg, "line dense\" d=\""); at;
	     at = strstr(at, "line dense\" d=\"")) {
		at += strlen("line dense\" d=\"");
		for (; *at != '"'; at++)
			count += *at == 'M';
	}
	return count;
}

/* Check that all points of lines are inside the picture. */
static void check_inside(const char *svg, double width)
{
	const char *at = svg;

	while ((at = strstr(at, "line dense\" d=\""))) {
		at += strlen("line dense\" d=\"");
		while (*at != '"') {
			char *end;
			const double x = strtod(at + 1, &end);
			const double y = strtod(end, &end);

			assert_true(x >= 0 && x <= width && y >= 0 && y <= width + 100);
			at = end;
		}
	}
}

static void networks_of_all_kinds_are_drawn_whole(void **state)
{
	static const char *const texts[] = {
		"kind: fat-tree, radix: 4, levels: 3, links: {wire: 1us}",
		"kind: fat-tree, radix: 4, levels: 3, links: {host: 1, level2: 2, level3: 3}",
		"kind: dragonfly, groups: 8, routers: 4, hosts: 8, links: {tc: 1, intra: 2, inter: 3}",
		"kind: torus, size: [12, 12], links: {host: 1, dim1: 2, dim2: 3}",
		"kind: torus, size: [3, 3, 3, 3], links: {wire: 1}",
		"kind: mesh, size: [1], links: {wire: 1}",
		"kind: mesh, size: [100], links: {wire: 1}",
		"kind: hyperx, size: [8, 8], hosts: 3, links: {wire: 1}",
		"kind: slim-fly, q: 5, links: {host: 1, router: 2}",
	};
	static const double widths[] = {SVG_NARROW_PX, SVG_WIDE_PX};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
		struct svg svg = {.width = widths[i % 2]};
		struct topology topology;
		struct links links;
		struct error err;
		char *output;
		size_t bytes;

		read_topology(&topology, texts[i / 2]);
		svg.stream = open_memstream(&output, &bytes);
		assert_non_null(svg.stream);
		MUST(picture_topology(&svg, &topology, &err));
		fclose(svg.stream);
		check_markup(output, 0);
		check_texts(output);
		check_inside(output, svg.width);
		assert_null(strstr(output, "nan"));
		MUST(topology_links(&topology, &links, &err));
		assert_int_equal(lines_of(output), links.count);
		assert_int_equal(count_of(output, "<title>host "), topology.host_count);
		array_release(&links);
		topology_release(&topology);
		free(output);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(networks_of_all_kinds_are_drawn_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
