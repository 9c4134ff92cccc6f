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

const struct option_spec *const path_options[] = {model_options, options, NULL};

/* What cannot be believed is not worth the answer: say so, and go on without names. */
static int report(const struct model *model, const struct critical_path *path, struct error *err)
{
	struct critical_calls calls;
	struct error why;
	int found = critical_calls_find(&calls, path, model, &why);
	int result;

	if (found < 0)
		tool_warning("llamp", "%s: calls are not named", why.text);
	result = report_path(stdout, given.format, model, path, found == 0 ? &calls : NULL, err);
	if (found == 0)
		critical_calls_release(&calls);
	return result;
}

int cmd_path(char **operands, int count, struct error *err)
{
	struct critical_path path;
	struct model model;
	int result;

	(void)count;
	TRY(open_graph(&model, operands[0], err));
	progress_begin("llamp", "finding the critical path");
	result = critical_path_find(&path, &model, err);
	progress_end();
	if (result == 0) {
		result = report(&model, &path, err);
		critical_path_release(&path);
	}
	model_release(&model);
	return result;
}
