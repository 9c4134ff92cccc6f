#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/report/report.h"

static struct {
	enum report_format format;
} given;

static const struct option_spec options[] = {
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given.format},
	{0},
};

const struct option_spec *const path_options[] = {model_options, options, output_options, NULL};

static int write_path(const struct model *model, const struct critical_path *path,
		      const struct critical_calls *calls, const char *output_path,
		      struct error *err)
{
	struct output output;

	TRY(output_open(&output, output_path, err));
	if (report_path(output.stream, given.format, model, path, calls, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

/* Report the path.  A damaged side file only causes a warning. */
static int report_with_calls(const struct model *model, const struct critical_path *path,
			     const char *output, struct error *err)
{
	struct critical_calls calls;
	struct error why;
	int found = critical_calls_find(&calls, path, model, &why);
	int result;

	if (found < 0)
		tool_warning("llamp", "%s: calls are not named", why.text);
	result = write_path(model, path, found == 0 ? &calls : NULL, output, err);
	if (found == 0)
		critical_calls_release(&calls);
	return result;
}

int cmd_path(char **operands, int count, struct error *err)
{
	struct critical_path path;
	struct loggps loggps;
	struct model model;
	const char *output;
	int result;

	(void)count;
	TRY(output_path(&output, operands[0], err));
	TRY(model_options_loggps(&loggps, err));
	TRY(open_graph(&model, operands[0], &loggps, err));
	progress_begin("llamp", "finding the critical path");
	result = critical_path_find(&path, &model, err);
	progress_end();
	if (result == 0) {
		result = report_with_calls(&model, &path, output, err);
		critical_path_release(&path);
	}
	model_release(&model);
	return result;
}
