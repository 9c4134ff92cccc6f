#include "llamp/commands.h"
#include "llamp/report.h"

static struct {
	enum report_format format;
} given;

static const struct option_spec options[] = {
	{"format", 0, "NAME", "text (default), json or csv", option_report_format, &given.format},
	{0},
};

const struct option_spec *const path_options[] = {model_options, options, NULL};

int cmd_path(char **operands, int count, struct error *err)
{
	struct critical_path path;
	struct model model;
	int result;

	(void)count;
	TRY(open_program(&model, operands[0], err));
	result = critical_path_find(&path, &model, err);
	if (result == 0) {
		result = report_path(stdout, given.format, &model, &path, err);
		critical_path_release(&path);
	}
	model_release(&model);
	return result;
}
