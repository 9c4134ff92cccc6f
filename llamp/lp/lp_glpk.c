/* Calls of GLPK that cannot end the process: its errors come back here. */
#include "llamp/lp/lp_internal.h"

#include <string.h>

static jmp_buf lp_glpk_place;
static char message[512];
static unsigned environment;

/* Print nothing on GLPK's terminal; keep its last message for the error. */
static int on_text(void *info, const char *text)
{
	size_t length = strcspn(text, "\n");

	(void)info;
	if (length == 0 || !strncmp(text, "Error detected", 14) || !strncmp(text, "Writing", 7))
		return 1;
	if (length >= sizeof message)
		length = sizeof message - 1;
	memcpy(message, text, length);
	message[length] = '\0';
	return 1;
}

static void on_error(void *info)
{
	(void)info;
	longjmp(lp_glpk_place, 1);
}

jmp_buf *lp_enter(void)
{
	message[0] = '\0';
	glp_term_hook(on_text, NULL);
	glp_term_out(GLP_ON);
	glp_error_hook(on_error, NULL);
	return &lp_glpk_place;
}

void lp_leave(void)
{
	glp_error_hook(NULL, NULL);
	glp_term_hook(NULL, NULL);
}

int lp_failed(struct error *err)
{
	/* Memory that GLPK allocated before the error is freed with its environment. */
	glp_free_env();
	environment++;
	return error_set(err, STATUS_SYSTEM, "GLPK: %s", message);
}

unsigned lp_environment(void)
{
	return environment;
}

int lp_check(const struct lp_model *model, struct error *err)
{
	if (model->environment != environment)
		return error_set(err, STATUS_SYSTEM,
				 "the linear program was lost with an earlier error in GLPK");
	return 0;
}

int lp_check_direction(const struct lp_model *model, const struct direction *direction,
		       struct error *err)
{
	TRY(lp_check(model, err));
	for (uint32_t v = 0; v < direction->count; v++)
		if (direction->weight[v])
			TRY(variables_require_on(&model->loggps.variables, v, err));
	return 0;
}
