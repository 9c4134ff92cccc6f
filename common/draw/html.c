#include "common/draw/html.h"

#include "common/draw/html_script.h"
#include "common/draw/markup.h"
#include "common/draw/palette.h"

#include <string.h>

static const char style[] =
	"*{box-sizing:border-box}"
	"html{color-scheme:light dark;-webkit-text-size-adjust:100%}"
	"body{margin:0 auto;padding:16px 16px 48px;max-width:784px;background:var(--paper);"
	"color:var(--ink);font-size:16px;line-height:1.5;overflow-wrap:anywhere}"
	"h1{font-size:1.5rem;line-height:1.25;margin:1rem 0}"
	"h2{font-size:1.2rem;line-height:1.3;margin:2.5rem 0 .75rem}"
	"h3{font-size:1rem;margin:1.5rem 0 .5rem}"
	"p{margin:.75rem 0}a{color:var(--s0)}"
	".answer{font-size:1.25rem;line-height:1.45;border-left:4px solid var(--s0);"
	"padding-left:.75rem}"
	".note,figcaption{color:var(--muted);font-size:.875rem}"
	"figure{margin:1.25rem 0}figcaption{margin-top:.25rem}"
	"svg.d{display:block;width:100%;height:auto}"
	"svg.wide{max-width:752px}svg.narrow{max-width:480px;margin:0 auto}"
	"@media (min-width:640px){svg.narrow,p.narrow,.zoom.narrow{display:none}}"
	"@media (max-width:639.98px){svg.wide,p.wide,.zoom.wide{display:none}}"
	"svg.half{max-width:480px}.beside{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 1rem}"
	"@media screen and (max-width:639.98px){.beside{grid-template-columns:minmax(0,1fr)}}"
	"p.readout{margin:0;min-height:3em;font-size:.8rem;color:var(--muted)}"
	".zoom{display:flex;gap:.25rem;margin:.25rem 0}"
	".zoom button{font:inherit;font-size:.875rem;min-width:2.25rem;padding:.2rem .5rem;color:var(--ink);"
	"background:var(--paper);border:1px solid var(--edge);border-radius:4px}"
	".zoom button[aria-disabled=true]{color:var(--muted);border-color:var(--grid)}"
	"svg.zooms{touch-action:pan-y;-webkit-user-select:none;user-select:none}"
	".select{fill:var(--s0);fill-opacity:.15}"
	".scroll{overflow-x:auto;margin:.75rem 0}"
	"table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}"
	"th,td{padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--grid);text-align:left;"
	"vertical-align:top;overflow-wrap:normal}"
	"th:last-child,td:last-child{padding-right:0}"
	"caption{text-align:left;font-weight:600;padding-bottom:.25rem}sub{font-size:.75em;line-height:0}"
	"table{min-width:min(100%,20rem)}"
	"summary{cursor:pointer;color:var(--s0);font-size:.875rem;padding:.25rem 0}"
	"details{margin:.75rem 0}"
	"thead th{color:var(--muted);font-weight:400;border-bottom-color:var(--edge)}"
	"tbody th{font-weight:400}"
	".n{text-align:right;white-space:nowrap}thead .n{white-space:normal}"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;font-size:.875rem}"
	"dt{color:var(--muted)}dd{margin:0}"
	"@media (max-width:480px){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}"
	"@media print{@page{margin:15mm}html{font-size:10pt}body{max-width:none;padding:0;font-size:1rem}"
	"svg.wide{display:block!important;max-width:none}svg.narrow{display:none!important}"
	".readout,.zoom{display:none!important}"
	"th,td{padding-top:.15rem;padding-bottom:.15rem}"
	"figure,table,tr,dl{break-inside:avoid}h1,h2,h3{break-after:avoid}"
	"details::details-content{content-visibility:visible;display:block}summary{display:none}"
	".scroll{overflow:visible}a{color:inherit}}";

/* Words that are longer may break within. */
enum { LONG_WORD = 24 };

/*
 * Tell whether a long word, such as the name of a C++ function or a path, may break after a
 * character.
 */
static bool may_break(const char *word, const char *at)
{
	return strchr("<,_/", *at) || (*at == ':' && at > word && at[-1] == ':');
}

/* Print escaped text with its indices as subscripts, and places at which long words break. */
static void print_prose(FILE *stream, const char *text)
{
	const char *word = text, *end = text;

	while (*text) {
		const size_t index = markup_index(text);
		const char *at = text;

		if (text >= end) {
			word = text;
			end = text + 1 + strcspn(text + 1, " ");
		}
		text += markup_print_character(stream, text);
		if (!index && end - word > LONG_WORD && text < end && may_break(word, at))
			fputs("<wbr>", stream);
		if (!index)
			continue;
		/* It has letters and digits only. */
		fprintf(stream, "<sub>%.*s</sub>", (int)index - 1, text + 1);
		text += index;
	}
}

/* Print an element whose text is markup_print's: titles and ids have no elements in them. */
static void plain_element(struct html *page, const char *begin, const char *text, const char *end)
{
	fputs(begin, page->stream);
	markup_print(page->stream, text);
	fputs(end, page->stream);
}

static void element(struct html *page, const char *begin, const char *text, const char *end)
{
	fputs(begin, page->stream);
	print_prose(page->stream, text);
	fputs(end, page->stream);
}

void html_begin(struct html *page, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	      /* Without it browsers ask for /favicon.ico. */
	      "<link rel=\"icon\" href=\"data:,\">\n",
	      page->stream);
	plain_element(page, "<title>", title, "</title>\n<style>\n");
	palette_print_page_style(page->stream);
	fprintf(page->stream, "body{font-family:%s}%s\n%s</style>\n</head>\n<body>\n",
		palette_fonts, style, page->style ? page->style : "");
	element(page, "<h1>", title, "</h1>\n");
}

void html_end(struct html *page)
{
	fprintf(page->stream, "<script>\n%s%s</script>\n</body>\n</html>\n", html_script,
		page->script ? page->script : "");
}

void html_section(struct html *page, const char *id, const char *heading)
{
	plain_element(page, "<section id=\"", id, "\">\n");
	element(page, "<h2>", heading, "</h2>\n");
}

void html_section_end(struct html *page)
{
	fputs("</section>\n", page->stream);
}

void html_subheading(struct html *page, const char *heading)
{
	element(page, "<h3>", heading, "</h3>\n");
}

void html_paragraph(struct html *page, const char *text)
{
	element(page, "<p>", text, "</p>\n");
}

void html_answer(struct html *page, const char *text)
{
	element(page, "<p class=\"answer\">", text, "</p>\n");
}

void html_note(struct html *page, const char *text)
{
	element(page, "<p class=\"note\">", text, "</p>\n");
}

void html_figure(struct html *page, const char *caption)
{
	fputs("<figure>\n", page->stream);
	if (caption)
		element(page, "<figcaption>", caption, "</figcaption>\n");
	page->size = page->beside ? 2 : 0;
}

bool html_picture(struct html *page, struct svg *svg)
{
	static const struct {
		double width;
		const char *class;
	} sizes[] = {{SVG_WIDE_PX, "wide"}, {SVG_NARROW_PX, "narrow"}, {SVG_NARROW_PX, "half"}};

	if (page->size == (page->beside ? 3 : 2))
		return false;
	*svg = (struct svg){
		.stream = page->stream,
		.place = SVG_PAGE,
		.width = sizes[page->size].width,
		.class = sizes[page->size].class,
		.number = ++page->picture_count,
	};
	page->size++;
	return true;
}

void html_figure_end(struct html *page)
{
	fputs("</figure>\n", page->stream);
}

void html_beside(struct html *page)
{
	fputs("<div class=\"beside\">\n", page->stream);
	page->beside = true;
}

void html_beside_end(struct html *page)
{
	fputs("</div>\n", page->stream);
	page->beside = false;
}

void html_table(struct html *page, const char *caption, const char *const *columns,
		int column_count)
{
	fputs("<div class=\"scroll\"><table>\n", page->stream);
	if (*caption)
		element(page, "<caption>", caption, "</caption>\n");
	fputs("<thead><tr>", page->stream);
	for (int i = 0; i < column_count; i++)
		element(page,
			*columns[i] == '>' ? "<th class=\"n\" scope=\"col\">"
					   : "<th scope=\"col\">",
			columns[i] + (*columns[i] == '>'), "</th>");
	fputs("</tr></thead>\n<tbody>\n", page->stream);
}

void html_row(struct html *page)
{
	fputs("<tr>", page->stream);
	page->column = 0;
}

void html_cell(struct html *page, const char *text)
{
	if (page->column++ == 0)
		element(page, "<th scope=\"row\">", text, "</th>");
	else
		element(page, "<td>", text, "</td>");
}

void html_number(struct html *page, const char *text)
{
	if (page->column++ == 0)
		element(page, "<th class=\"n\" scope=\"row\">", text, "</th>");
	else
		element(page, "<td class=\"n\">", text, "</td>");
}

void html_row_end(struct html *page)
{
	fputs("</tr>\n", page->stream);
}

void html_table_end(struct html *page)
{
	fputs("</tbody></table></div>\n", page->stream);
}

void html_details(struct html *page, const char *summary)
{
	element(page, "<details>\n<summary>", summary, "</summary>\n");
}

void html_details_end(struct html *page)
{
	fputs("</details>\n", page->stream);
}

void html_list(struct html *page)
{
	fputs("<dl>\n", page->stream);
}

void html_item(struct html *page, const char *name, const char *value)
{
	element(page, "<dt>", name, "</dt>");
	element(page, "<dd>", value, "</dd>\n");
}

void html_list_end(struct html *page)
{
	fputs("</dl>\n", page->stream);
}
