/* Sub-commands of the command `eventflow`, and what they share. */
#ifndef EVENTFLOW_COMMANDS_H
#define EVENTFLOW_COMMANDS_H

#include "common/options.h"
#include "common/output.h"
#include "common/report/report.h"
#include "dist/dist.h"
#include "trace/flow/builder/flow_build.h"
#include "trace/flow/file/flow_file.h"

/*
 * Read an event flow file, or make the graphs of another trace with statistics of times.  Release with
 * flow_release.
 */
int commands_open_flow(struct flow **flow, const char *path, struct error *err);

/* The same with other times of another trace. */
int commands_open_flow_with(struct flow **flow, const char *path, enum flow_times times,
			    struct error *err);

/* Make the graphs of a trace, with progress on a terminal. */
int commands_build(struct flow **flow, const char *path, const struct flow_options *options,
		   struct error *err);

/* Set the processes that work together, before a command runs. */
void commands_share(struct dist *dist);

/* Collective.  Make the graphs of a trace, each process those of its ranks, and write them to a file. */
int commands_build_file(const char *path, const struct flow_options *options, const char *output,
			struct error *err);

/* -o and --format, an enum report_format, of commands that print. */
extern struct command_output print_output;

/* The same of commands that draw a picture, too: its format is REPORT_FORMATS_END. */
extern struct command_output picture_output;

/* --rank: UINT32_MAX if it is not given. */
extern const struct option_spec rank_options[];
int commands_given_rank(const struct flow *flow, uint32_t *rank, struct error *err);

/* --thread: 0 if it is not given. */
extern const struct option_spec thread_options[];
int commands_given_thread(const struct flow_rank *rank, uint32_t *thread, struct error *err);

/* Print a report to the given output: `write` fills it. */
typedef void commands_write(struct report *report, const void *data);
int commands_print(const char *file, const char *rows, commands_write *write, const void *data,
		   struct error *err);

/* Print a report to picture_output, or let `draw` draw the same data. */
typedef int commands_picture(const struct svg *svg, const void *data, struct error *err);
int commands_print_or_draw(const char *file, const char *rows, commands_write *write,
			   commands_picture *draw, const void *data, struct error *err);

/* Start of the notes of most commands. */
#define INPUT_NOTES                                                                                \
	"FILE is an event flow file, an OTF2 archive by its folder or its file traces.otf2, or a " \
	"trace of liballprof, told apart by content."

/* The commands, each by its cmd_*.c. */
extern const struct command build_command, info_command, trace_command, loops_command, tree_command,
	compare_command, graph_command, profile_command, matrix_command, growth_command,
	iterations_command, generate_command;

#endif
