/* Actions as rows of a table, and the function that makes their calls. */
#include "eventflow/generate/proxy_class.h"

int proxy_record(struct proxy_classes *classes, const struct replay_program *program,
		 uint32_t action, uint32_t *place, struct error *err)
{
	const int32_t *row;
	uint32_t count;

	*place = number_map_get(&classes->record_of, action, 0);
	if (*place != NUMBER_MAP_EMPTY)
		return 0;
	row = actions_row(&program->actions, action, &count);
	*place = (uint32_t)classes->records.count;
	for (uint32_t i = 0; i < count; i++)
		TRY(array_push(&classes->records, row[i], err));
	return number_map_add(&classes->record_of, action, 0, *place, err);
}

/* Mark the forms of all records.  Returns an array by form, to be freed, or NULL. */
static bool *find_forms(const struct replay_program *program, const struct proxy_classes *classes)
{
	bool *used = calloc(program->actions.texts.starts.count + 1, sizeof *used);

	for (size_t i = 0; used && i < classes->records.count;) {
		const int32_t form = classes->records.items[i];
		const char *text = string_table_get(&program->actions.texts, (uint32_t)form);
		size_t holes = 0;

		used[form] = true;
		for (; *text; text++)
			holes += *text == '$';
		i += 1 + holes / 2;
	}
	return used;
}

void proxy_write_calls(const struct replay_program *program, const struct proxy_classes *classes,
		       FILE *stream)
{
	bool *used = find_forms(program, classes);

	if (!classes->records.count || !used) {
		free(used);
		return;
	}
	fputs("/* Make the call of a record: its kind, then its numbers. */\n"
	      "static void call(const int *a)\n{\n\tswitch (a[0]) {\n",
	      stream);
	for (uint32_t form = 0; form < program->actions.texts.starts.count; form++) {
		if (!used[form])
			continue;
		fprintf(stream, "\tcase %u:\n\t\t", form);
		actions_write(&program->actions, form, NULL, stream);
		fputs("\n\t\tbreak;\n", stream);
	}
	fputs("\t}\n}\n\n"
	      "static inline void play(int steps, const int (*step)[2])\n{\n"
	      "\tfor (int i = 0; i < steps; i++) {\n"
	      "\t\tif (step[i][1])\n\t\t\tcompute(step[i][1]);\n"
	      "\t\tcall(records + step[i][0]);\n\t}\n}\n\n"
	      "static inline void play_one(const struct sequence *sequence)\n{\n"
	      "\tplay(sequence->count, sequence->steps);\n}\n\n",
	      stream);
	free(used);
}
