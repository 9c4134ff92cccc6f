/* Section of the page: parameters of the network. */
#include "llamp/page/page.h"

static void write_count(struct page *page, const char *name, uint64_t count)
{
	char text[UNIT_TEXT_BYTES];

	snprintf(text, sizeof text, "%llu", (unsigned long long)count);
	html_item(&page->html, name, text);
}

static void write_variables(struct page *page, const struct loggps *loggps)
{
	char text[UNIT_TEXT_BYTES];

	for (uint32_t i = 0; i < loggps->variables.count; i++) {
		const struct variable *variable =
			&loggps->variables.of[variables_listed(&loggps->variables, i)];

		if (variable_is_on(variable))
			html_item(&page->html, variable->name,
				  page_variable(variable, report_ns(variable->value_as),
						REPORT_DIGITS, text));
	}
	if (loggps->S == LOGGPS_NO_RENDEZVOUS) {
		html_item(&page->html, "S", "none: no rendezvous");
	} else {
		snprintf(text, sizeof text, "%llu B", (unsigned long long)loggps->S);
		html_item(&page->html, "S", text);
		html_item(&page->html, "rendezvous", rendezvous_name(loggps->rendezvous));
	}
	html_item(&page->html, "resources", resources_name(loggps->resources));
}

static void write_graph(struct page *page, const struct findings *run)
{
	const struct model *model = run->model;
	const char *how = model->calls ? model->calls->origin.how : NULL;

	html_item(&page->html, "graph", model->path);
	write_count(page, "ranks", model->goal.rank_count);
	write_count(page, "operations", model->graph.op_count);
	write_count(page, "messages", model->graph.message_count);
	if (how && *how)
		html_item(&page->html, "made by", how);
	html_item(&page->html, "engine", engine_names[run->analysis.engine]);
}

int page_parameters(struct page *page, struct error *err)
{
	(void)err;
	html_section(&page->html, "parameters", "Parameters, and how the graph was made");
	for (size_t i = 0; i < page->count; i++) {
		page_program(page, &page->runs[i]);
		html_list(&page->html);
		if (page->runs[i].network)
			html_item(&page->html, "network", page->runs[i].network);
		write_variables(page, &page->runs[i].model->loggps);
		write_graph(page, &page->runs[i]);
		html_list_end(&page->html);
	}
	html_section_end(&page->html);
	return 0;
}
