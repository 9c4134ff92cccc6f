/* schedgen: from a trace, or from nothing, to a GOAL graph. */
#include "common/array.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/table.h"
#include "common/text.h"
#include "common/units.h"
#include "common/version.h"
#include "goal/calls.h"
#include "schedgen/cmd_pattern.h"
#include "schedgen/cmd_usage.h"
#include "schedgen/collectives/rules.h"
#include "schedgen/convert/convert_archive.h"

#include <stdlib.h>
#include <string.h>

/* Rules on a command line: for more there are files. */
enum { MOST_RULES = 64 };

static struct {
	const char *printed_preset;
	bool list_algorithms, report;
	const char *collectives[COLL_KINDS]; /* arguments of --coll */
	struct archive_options archive;
	struct rules first_rules;
	const char *first_rule_texts[MOST_RULES];
	uint32_t first_rule_count;
	const char *progress; /* argument of --progress */
	uint64_t threshold;
	bool has_threshold;
	struct progress_table table;
} given = {.progress = "async", .archive.convert = {.compute_scale = 1, .copies = 1}};

/* --------------------------------------------------------------------- options */

static int option_collective(const char *text, void *target, struct error *err)
{
	const char *equals = strchr(text, '=');
	const size_t length = strcspn(text, "=");
	int kind;

	(void)target;
	if (!strcmp(text, "help")) {
		given.list_algorithms = true;
		return 0;
	}
	kind = coll_find_kind(text, length);
	if (kind < 0)
		return coll_unknown_kind(text, length, err);
	given.collectives[kind] = text;
	return coll_choice_parse(&given.archive.convert.choices[kind], kind,
				 equals ? equals + 1 : "", err);
}

static int option_rule(const char *text, void *target, struct error *err)
{
	(void)target;
	if (given.first_rule_count == MOST_RULES)
		return error_set(err, STATUS_USAGE,
				 "more than %d rules; write them to a file for --rules",
				 MOST_RULES);
	given.first_rule_texts[given.first_rule_count++] = text;
	given.archive.convert.first_rules = &given.first_rules;
	return rules_add(&given.first_rules, text, err);
}

static int option_scale(const char *text, void *target, struct error *err)
{
	TRY(option_number(text, target, err));
	if (*(double *)target < 0)
		return error_set(err, STATUS_USAGE, "'%s' is negative", text);
	return 0;
}

/* Read a time per byte in ns. */
static int option_time_per_byte(const char *text, void *target, struct error *err)
{
	int64_t as;

	TRY(parse_gap_per_byte_as(text, &as, err));
	*(double *)target = (double)as / AS_PER_NS;
	return 0;
}

static int option_count(const char *text, void *target, struct error *err)
{
	uint64_t count;

	TRY(parse_count(text, 1, CONVERT_MOST_RANKS, &count, err));
	*(uint32_t *)target = (uint32_t)count;
	return 0;
}

static int option_edge(const char *text, void *target, struct error *err)
{
	return slice_edge_parse(target, text, err);
}

static int option_threshold(const char *text, void *target, struct error *err)
{
	(void)target;
	given.has_threshold = true;
	return parse_bytes(text, &given.threshold, err);
}

/* Whether the call makes a list and no graph. */
static bool makes_no_graph(void)
{
	return given.list_algorithms || given.printed_preset || cmd_pattern_lists();
}

static struct command_output graph_output = {
	.formats = goal_output_formats,
	.required = "FILE.bin for a binary graph, FILE.goal for text",
	.unused = makes_no_graph,
};

static const struct option_spec schedgen_options[] = {
	{"coll", 0, "NAME=ALGORITHM[:PARAMETER=VALUE,...]",
	 "expand collective NAME with "
	 "ALGORITHM; overrides --rules and --preset; help: list names, algorithms and parameters",
	 option_collective, NULL},
	{"rule", 0, "RULE",
	 "choose by the rule \"{collective: NAME, site: \"FILE:LINE\", algorithm: ALGORITHM}\" or with other conditions of"
	 " --rules, before --coll; may be repeated, and the first that fits applies",
	 option_rule, NULL},
	{"rules", 0, "FILE",
	 "choose algorithms by the rules in the YAML file FILE, by size, ranks "
	 "and whether the call blocks; the first rule that fits applies",
	 option_text, &given.archive.rules},
	{"preset", 0, "NAME",
	 "choose algorithms, after --rules, as MPICH 4.0 (mpich), Open MPI "
	 "4.1 (openmpi) or LLAMP's Schedgen (paper) does",
	 option_text, &given.archive.preset},
	{"print-preset", 0, "NAME", "print a preset as a file for --rules, and stop", option_text,
	 &given.printed_preset},
	{"coll-report", 0, NULL,
	 "print to stderr the algorithms of the collectives, with numbers of "
	 "calls, messages and bytes",
	 option_flag, &given.report},
	{"from", 0, "EDGE",
	 "begin at a time since the run began (1.5s), at the start of "
	 "a region (region:NAME:NUMBER, by default number 1) or of an iteration of the main "
	 "loop (iteration:NUMBER)",
	 option_edge, &given.archive.from},
	{"to", 0, "EDGE", "end at a time, or at the end of a region or iteration", option_edge,
	 &given.archive.to},
	{"repeat", 0, NULL,
	 "make the graph of the whole run from some iterations of it: ARCHIVE is of llamp-trace --iterations or "
	 "eventflow trace --iterations, and has the flow graph of the run beside it",
	 option_flag, &given.archive.repeat},
	{"extrapolate", 0, "K",
	 "make a graph of K copies of the traced ranks; a collective of all "
	 "ranks spans all copies (default 1)",
	 option_count, &given.archive.convert.copies},
	{"progress", 0, "WHEN",
	 "when messages above --rendezvous-threshold move: async (default), also while the receiver"
	 " computes; calls, only while it waits in MPI calls; calls:both, only while both sides do;"
	 " FILE, as llamp-measure overlap has measured it",
	 option_text, &given.progress},
	{"rendezvous-threshold", 'S', "SIZE",
	 "with --progress: messages of more bytes use the rendezvous protocol, as with llamp's"
	 " option (default: that of FILE)",
	 option_threshold, NULL},
	{"ranks-per-node", 0, "N",
	 "place N ranks on each node, in the order of their numbers, for "
	 "two-level, rules with shared_nodes, and llamp (default: the nodes of ARCHIVE)",
	 option_count, &given.archive.convert.ranks_per_node},
	{"without-barriers", 0, NULL,
	 "leave out MPI_Barrier and MPI_Ibarrier: no rank waits there. Refused if the program has windows or files, whose"
	 " accesses they may order",
	 option_flag, &given.archive.convert.without_barriers},
	{"compute-scale", 0, "X", "multiply the time of computation by X (default 1)", option_scale,
	 &given.archive.convert.compute_scale},
	{"reduce-cost", 0, "GAP",
	 "cost of the reduction operator per byte, as a time (0.1ns, or bare ns) or a rate"
	 " (10GB/s); default 0",
	 option_time_per_byte, &given.archive.convert.reduce_ns_per_byte},
	{0},
};

static void algorithm_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct coll_algorithm *each = &coll_algorithms[number];
	char parameters[128];

	(void)data;
	coll_list_parameters(each, parameters, sizeof parameters);
	snprintf(cells[0], TABLE_CELL_BYTES, "%s", coll_name(each->kind));
	snprintf(cells[1], TABLE_CELL_BYTES, "%s", each->name);
	snprintf(cells[2], TABLE_CELL_BYTES, "%s%s%s%s", each->help,
		 coll_find(each->kind, NULL) == each ? " (default)" : "",
		 *parameters ? "; parameters: " : "", parameters);
}

static void print_algorithms(void)
{
	static const struct table_column columns[] = {
		{NULL, TABLE_LEFT, 0},
		{NULL, TABLE_LEFT, 0},
		{NULL, TABLE_LEFT, 0},
	};
	size_t count = 0;

	while (coll_algorithms[count].name)
		count++;
	table_print(stdout, columns, 3, count, algorithm_row, NULL);
}

static int print_preset(const char *name, struct error *err)
{
	const char *text = rules_preset_text(name, err);

	if (!text)
		return -1;
	fputs(text, stdout);
	return 0;
}

/* ------------------------------------------------------------------- the command */

/* Make the progress table that the options ask for. */
static int read_progress(struct error *err)
{
	bool both;

	if (!strcmp(given.progress, "async"))
		return 0;
	given.archive.convert.progress = &given.table;
	both = !strcmp(given.progress, "calls:both");
	if (strcmp(given.progress, "calls") && !both &&
	    progress_table_read(&given.table, given.progress,
				given.has_threshold ? &given.threshold : NULL, err) < 0)
		return error_prefix(
			err,
			"--progress (async, calls, calls:both, or a file of llamp-measure overlap)");
	if (strcmp(given.progress, "calls") && !both)
		return 0;
	if (!given.has_threshold)
		return error_set(err, STATUS_USAGE,
				 "--progress calls needs --rendezvous-threshold:"
				 " the messages of a trace do not tell which protocol they used");
	return progress_table_calls(&given.table, given.threshold, both, err);
}

/* Refuse options about the calls of a trace, which a pattern does not have. */
static int run_pattern(struct error *err)
{
	for (int kind = 0; kind < COLL_KINDS; kind++)
		if (given.archive.convert.choices[kind].algorithm)
			return error_set(err, STATUS_USAGE,
					 "--coll belongs to an archive; patterns "
					 "are called by their algorithm: --pattern %s=%s",
					 coll_name(kind),
					 given.archive.convert.choices[kind].algorithm->name);
	if (given.archive.rules || given.archive.preset || given.report || given.first_rule_count)
		return error_set(err, STATUS_USAGE, "%s belongs to an archive",
				 given.first_rule_count ? "--rule"
				 : given.archive.rules	? "--rules"
				 : given.archive.preset ? "--preset"
							: "--coll-report");
	if (given.archive.repeat)
		return error_set(err, STATUS_USAGE, "--repeat belongs to an archive");
	if (given.archive.from.kind || given.archive.to.kind)
		return error_set(err, STATUS_USAGE, "--from and --to belong to an archive");
	if (strcmp(given.progress, "async") && !cmd_pattern_overlaps())
		return error_set(err, STATUS_USAGE,
				 "--progress belongs to an archive, or to a pattern"
				 " overlap-sender, overlap-receiver or overlap-both");
	TRY(read_progress(err));
	if (given.archive.convert.copies != 1)
		return error_set(err, STATUS_USAGE,
				 "--extrapolate belongs to an archive; a pattern "
				 "has --ranks");
	if (given.archive.convert.without_barriers)
		return error_set(err, STATUS_USAGE, "--without-barriers belongs to an archive");
	if (given.archive.convert.compute_scale != 1)
		return error_set(err, STATUS_USAGE,
				 "--compute-scale belongs to an archive; a pattern has --compute");
	return cmd_pattern_run(&graph_output, given.archive.convert.reduce_ns_per_byte,
			       given.archive.convert.progress, err);
}

static void print_how_edge(FILE *stream, const char *option, const struct slice_edge *edge)
{
	char *text = edge->kind ? slice_edge_text(edge) : NULL;

	if (text)
		fprintf(stream, " %s %s", option, text);
	free(text);
}

/* Write the options that shape the graph: the archive as the user named it, no output. */
static void print_how(FILE *stream, const char *archive)
{
	const struct convert_options *convert = &given.archive.convert;

	fprintf(stream, "schedgen %s %s", PROJECT_VERSION, archive);
	for (uint32_t i = 0; i < given.first_rule_count; i++) {
		fputs(" --rule ", stream);
		text_print_word(stream, given.first_rule_texts[i]);
	}
	for (int kind = 0; kind < COLL_KINDS; kind++)
		if (given.collectives[kind])
			fprintf(stream, " --coll %s", given.collectives[kind]);
	if (given.archive.rules)
		fprintf(stream, " --rules %s", given.archive.rules);
	if (given.archive.preset)
		fprintf(stream, " --preset %s", given.archive.preset);
	print_how_edge(stream, "--from", &given.archive.from);
	print_how_edge(stream, "--to", &given.archive.to);
	if (given.archive.repeat)
		fprintf(stream, " --repeat");
	if (convert->copies != 1)
		fprintf(stream, " --extrapolate %u", convert->copies);
	if (convert->ranks_per_node)
		fprintf(stream, " --ranks-per-node %u", convert->ranks_per_node);
	if (convert->without_barriers)
		fprintf(stream, " --without-barriers");
	if (convert->compute_scale != 1)
		fprintf(stream, " --compute-scale %.15g", convert->compute_scale);
	if (convert->progress)
		progress_table_print(convert->progress, stream);
	if (convert->reduce_ns_per_byte > 0)
		fprintf(stream, " --reduce-cost %.15g", convert->reduce_ns_per_byte);
}

/* Refuse options about traces, which a log is not. */
static int run_usage(struct error *err)
{
	const struct archive_options *archive = &given.archive;
	char *how = NULL;
	size_t bytes;
	FILE *stream;
	int result;

	if (archive->rules || given.first_rule_count || archive->preset || given.report ||
	    archive->repeat || archive->from.kind || archive->to.kind ||
	    strcmp(given.progress, "async") || archive->convert.copies != 1 ||
	    archive->convert.compute_scale != 1 || archive->convert.ranks_per_node ||
	    archive->convert.without_barriers)
		return error_set(err, STATUS_USAGE,
				 "with --usage only --coll and --reduce-cost have an effect");
	stream = open_memstream(&how, &bytes);
	if (!stream)
		return error_set_memory(err, 1);
	print_how(stream, "--usage");
	fprintf(stream, " %s (synthetic)", cmd_usage_log());
	fclose(stream);
	result = cmd_usage_run(&graph_output, archive->convert.choices,
			       archive->convert.reduce_ns_per_byte, how, err);
	free(how);
	return result;
}

static int run_archive(const char *archive, struct error *err)
{
	struct summary summary;
	char *how = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&how, &bytes);
	int result;

	if (!stream)
		return error_set_memory(err, 1);
	print_how(stream, archive);
	fclose(stream);
	given.archive.how = how;
	given.archive.format = (enum goal_format)graph_output.format;
	progress_begin("schedgen", archive);
	result = convert_archive(archive, graph_output.path, &given.archive, &summary, err);
	progress_end();
	if (result == 0) {
		if (given.report)
			summary_print_collectives(stderr, &summary);
		summary_print(stderr, &summary);
		summary_release(&summary);
	}
	free(how);
	slice_edge_release(&given.archive.from);
	slice_edge_release(&given.archive.to);
	progress_table_release(&given.table);
	rules_release(&given.first_rules);
	return result;
}

static int run_schedgen(char **operands, int operand_count, struct error *err)
{
	bool pattern;

	if (given.list_algorithms) {
		print_algorithms();
		return 0;
	}
	if (given.printed_preset)
		return print_preset(given.printed_preset, err);
	TRY(goal_declare_calls(graph_output.path, err));
	TRY(cmd_pattern_given(&pattern, err));
	if (pattern && operand_count)
		return error_set(err, STATUS_USAGE, "ARCHIVE and --pattern exclude each other");
	if (cmd_usage_log() && (pattern || operand_count))
		return error_set(err, STATUS_USAGE, "--usage excludes ARCHIVE and --pattern");
	if (pattern)
		return run_pattern(err);
	if (cmd_usage_log())
		return run_usage(err);
	if (!operand_count)
		return error_set(err, STATUS_USAGE,
				 "ARCHIVE is missing (or --pattern, or --usage)");
	TRY(read_progress(err));
	return run_archive(operands[0], err);
}

/* Lists are of nothing that another option could change. */
static const char *list_unused(const char *option)
{
	const char *asks = given.list_algorithms  ? "coll"
			   : given.printed_preset ? "print-preset"
						  : "pattern";

	return makes_no_graph() && strcmp(option, asks) != 0 ? "only a list is asked for" : NULL;
}

static const char *nodes_unused(const char *option)
{
	(void)option;
	return cmd_pattern_is_given() ? "it belongs to an archive, and a pattern has no nodes"
				      : NULL;
}

static const char *seed_unused(const char *option)
{
	(void)option;
	return cmd_pattern_has_chance()
		       ? NULL
		       : "the pattern has no chance; --compute TIME:PERCENT% brings some";
}

static const char *reduce_unused(const char *option)
{
	(void)option;
	return cmd_pattern_reduces() ? NULL : "the pattern has no reduction";
}

static const char *threshold_unused(const char *option)
{
	(void)option;
	return strcmp(given.progress, "async") ? NULL : "with --progress async it is not needed";
}

static const char *bytes_unused(const char *option)
{
	(void)option;
	return cmd_pattern_has_bytes() ? NULL : "messages of a barrier have no data";
}

static const struct option_condition conditions[] = {
	{"*", list_unused},
	{"reduce-cost", reduce_unused},
	{"bytes", bytes_unused},
	{"ranks-per-node", nodes_unused},
	{"seed", seed_unused},
	{"rendezvous-threshold", threshold_unused},
	{0},
};

static const struct option_spec *const option_tables[] = {schedgen_options, cmd_pattern_options,
							  cmd_usage_options, NULL};

static const struct help_entry examples[] = {
	{"schedgen app.trace -o app.bin", "convert a trace to a binary graph"},
	{"schedgen app.trace --coll allreduce=ring -o ring.bin",
	 "the same with another algorithm for MPI_Allreduce"},
	{"schedgen --coll help", "list the collectives and their algorithms"},
	{"schedgen app.trace --progress calls -S 64KiB -o calls.bin",
	 "the same program with a library that moves large messages only in MPI calls"},
	{"schedgen ten.trace --repeat -o app.bin",
	 "make the graph of a whole run of which ten iterations were recorded"},
	{"schedgen --pattern halo-2d --ranks 64 --compute 1ms -o halo.bin",
	 "make the graph of a synthetic pattern"},
	{"schedgen --usage job.usage --coll allreduce=ring -o job.bin",
	 "make a synthetic graph of a job that was not traced"},
	{0},
};

static const struct help_entry files[] = {
	{"ARCHIVE/traces.otf2", "the anchor file of an OTF2 archive"},
	{"FILE.calls",
	 "written beside FILE: which MPI call made each operation, how long the traced run"
	 " took, and these options"},
	{0},
};

static const struct command command = {
	.name = "",
	.operands = "ARCHIVE",
	.least_operands = 0,
	.most_operands = 1,
	.summary = "Convert a trace, or a synthetic pattern, to a GOAL graph.",
	.notes =
		"ARCHIVE is the folder or the .otf2 file of an OTF2 archive, as llamp-trace "
		"and Score-P write it, a text trace of liballprof: the file of rank 0, "
		"or its folder; or an event flow file (eventflow(1)). A summary goes to stderr: the calls that were converted, "
		"and those that are not modelled. With --pattern NAME --ranks P there is "
		"no ARCHIVE. Nor is there with --usage LOG: from the counts of a log a synthetic graph is made, in which all "
		"ranks do the same, calls are spread evenly, and sends are exchanges in a ring.",
	.options = option_tables,
	.output = &graph_output,
	.conditions = conditions,
	.run = run_schedgen,
	.examples = examples,
	.files = files,
};
static const struct command *const schedgen_commands[] = {&command, NULL};

int main(int argc, char **argv)
{
	static const struct tool tool = {
		.name = "schedgen",
		.commands = schedgen_commands,
		.see_also = "llamp(1), goal(1), llamp-trace(1)",
	};

	return tool_main(&tool, argc, argv);
}
