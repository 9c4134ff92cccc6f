/* The functions of a class of ranks: its loop tree as C. */
#include "eventflow/generate/proxy_class.h"
#include "eventflow/loops/tree.h"
#include "trace/flow/call/flow_call.h"

#include <inttypes.h>
#include <string.h>

/*
 * Longer sequences are tables; sets of more blocks are tables; bounds of the whole; shorter times
 * are left out.
 */
enum { MOST_CODE = 64, MOST_BLOCKS = 4, MOST_LINES = 2000000, LEAST_NS = 200, STEPS_OF_LINE = 8 };
enum { NO_NODE = UINT32_MAX };

struct class_code {
	struct proxy_classes *classes;
	struct replay_program *program;
	const struct proxy_class *class;
	uint32_t number; /* of the class */
	const struct flow_graph *graph;
	struct flow_tree tree;
	FILE *tables, *code;
	uint32_t *uses; /* of each symbol in the text */
	bool *waits;	/* symbols whose functions are not written yet */
	bool *has_visits, *header;
	uint32_t tables_count;
	int depth;
};

/* ----------------------------------------------------------------------------- text */

static int new_line(struct class_code *code, struct error *err)
{
	if (++code->classes->lines > MOST_LINES)
		return error_set(
			err, STATUS_LIMIT,
			"the program would have more than %d lines: too little is repeated (see --fold of build)",
			MOST_LINES);
	for (int i = 0; i < code->depth; i++)
		fputc('\t', code->code);
	return 0;
}

static int write_compute(struct class_code *code, uint64_t ns, struct error *err)
{
	if (ns < LEAST_NS)
		return 0;
	TRY(new_line(code, err));
	fprintf(code->code, "compute(%" PRIu64 ");\n", ns);
	return 0;
}

/* ---------------------------------------------------------------------------- nodes */

static bool block_has(const struct flow_blocks *blocks, uint64_t number)
{
	for (size_t b = 0; b < blocks->count; b++) {
		const struct flow_block *block = &blocks->items[b];

		if (number >= block->first && number <= block->last &&
		    (!block->stride || (number - block->first) % block->stride < block->length))
			return true;
	}
	return false;
}

/* First and last node of an item. */
static uint32_t first_node(const struct class_code *code, uint32_t item)
{
	const struct flow_tree_symbol *symbol = flow_tree_symbol(&code->tree, item);

	return symbol ? symbol->first : item;
}

static uint32_t last_node(const struct class_code *code, uint32_t item)
{
	const struct flow_tree_symbol *symbol;

	while ((symbol = flow_tree_symbol(&code->tree, item))) {
		struct flow_tree_list list = {0};

		for (size_t v = 0; v < symbol->variants.count; v++)
			if (block_has(&symbol->variants.items[v].iterations,
				      symbol->iterations - 1))
				list = flow_tree_get(&code->tree, symbol->variants.items[v].list);
		item = list.items[list.count - 1];
	}
	return item;
}

/*
 * Mean time before a node that comes after another one.  Before the header of a loop it is the mean
 * of all visits, since the node before differs.
 */
static uint64_t time_before(const struct class_code *code, uint32_t from, uint32_t node)
{
	const struct flow_graph *graph = code->graph;
	uint64_t sum = 0, count = 0;

	for (size_t e = 0; e < graph->edges.count; e++)
		if (graph->edges.items[e].to == node &&
		    (code->header[node] || graph->edges.items[e].from == from)) {
			sum += code->class->sums[e];
			count += code->class->counts[e];
		}
	return count ? sum / count : 0;
}

static const uint32_t *sequence_of(const struct class_code *code, uint32_t node, uint32_t *count)
{
	const uint32_t number = code->class->sequences.items[node];

	*count = code->program->sequence_counts.items[number];
	return (const uint32_t *)(const void *)string_table_get(&code->program->sequences, number);
}

/* Write the records that a node's visits take, once. */
static int need_visits(struct class_code *code, uint32_t node, struct error *err)
{
	uint32_t count;
	const uint32_t *sequence = sequence_of(code, node, &count);

	if (code->has_visits[node])
		return 0;
	code->has_visits[node] = true;
	fprintf(code->tables, "static const int records_%u_%u[] = {", code->number, node);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t place;

		TRY(proxy_record(code->classes, code->program, sequence[i], &place, err));
		fprintf(code->tables, "%s%u", i == 0 ? "\n\t" : i % 16 ? ", " : ",\n\t", place);
	}
	code->classes->lines += count / 16 + 4;
	fprintf(code->tables, "\n};\nEACH struct visits visits_%u_%u = {records_%u_%u, %u, 0};\n",
		code->number, node, code->number, node, count);
	return 0;
}

/* Function of a node without its arguments. */
static const char *node_name(const struct class_code *code, uint32_t node)
{
	return flow_signature_label(code->program->flow, code->graph->nodes.items[node].signature)
		.function;
}

static int write_node(struct class_code *code, uint32_t node, struct error *err)
{
	uint32_t count, numbers;
	const uint32_t *sequence = sequence_of(code, node, &count);
	const int32_t *row;

	TRY(new_line(code, err));
	if (count == 1) {
		row = actions_row(&code->program->actions, sequence[0], &numbers);
		actions_write(&code->program->actions, (uint32_t)row[0], row, code->code);
		fputc('\n', code->code);
		return 0;
	}
	TRY(need_visits(code, node, err));
	fprintf(code->code, "call(next(&visits_%u_%u)); /* %s */\n", code->number, node,
		node_name(code, node));
	return 0;
}

/* Name the function of a loop that is called; it will be written. */
static void loop_function(struct class_code *code, uint32_t item, char *name, size_t room)
{
	const uint32_t symbol = item - (uint32_t)code->graph->nodes.count;

	snprintf(name, room, "loop_%u_%u", code->number, symbol);
	if (code->uses[symbol] == UINT32_MAX)
		return;
	code->uses[symbol] = UINT32_MAX;
	code->waits[symbol] = true;
	fprintf(code->tables, "static void %s(void);\n", name);
}

/* --------------------------------------------------------------------------- tables */

/* Find the record of an item in a table: its action, or the call of what does it. */
static int item_record(struct class_code *code, uint32_t item, uint32_t *place, struct error *err)
{
	struct action action = {0};
	char name[64];
	uint32_t count, number;

	if (item >= code->graph->nodes.count) {
		loop_function(code, item, name, sizeof name);
		action_say(&action, "%s();", name);
	} else {
		const uint32_t *sequence = sequence_of(code, item, &count);

		if (count == 1)
			return proxy_record(code->classes, code->program, sequence[0], place, err);
		TRY(need_visits(code, item, err));
		snprintf(name, sizeof name, "visits_%u_%u", code->number, item);
		action_say(&action, "call(next(&%s));", name);
	}
	TRY(actions_add(&code->program->actions, &action, &number, err));
	return proxy_record(code->classes, code->program, number, place, err);
}

/* Write a sequence as the table steps_CLASS_`table`.  from: node before it. */
static int write_steps(struct class_code *code, const uint32_t *items, size_t count, uint32_t from,
		       uint32_t table, struct error *err)
{
	ARRAY(uint32_t) places = {0};
	int result = 0;

	/* Tables of visits come before it. */
	for (size_t i = 0; i < count && result == 0; i++) {
		uint32_t place;

		result = item_record(code, items[i], &place, err);
		if (result == 0)
			result = array_push(&places, place, err);
	}
	if (result == 0)
		fprintf(code->tables, "static const int steps_%u_%u[][2] = {", code->number, table);
	for (size_t i = 0; i < count && result == 0; i++) {
		uint64_t ns = time_before(code, from, first_node(code, items[i]));

		ns = ns < LEAST_NS ? 0 : ns > INT32_MAX ? INT32_MAX : ns;
		fprintf(code->tables, "%s{%u, %" PRIu64 "}",
			i == 0		    ? "\n\t"
			: i % STEPS_OF_LINE ? ", "
					    : ",\n\t",
			places.items[i], ns);
		from = last_node(code, items[i]);
	}
	array_release(&places);
	fputs("\n};\n", code->tables);
	code->classes->lines += count / STEPS_OF_LINE + 3;
	return result;
}

static int write_table(struct class_code *code, const uint32_t *items, size_t count, uint32_t from,
		       struct error *err)
{
	const uint32_t table = code->tables_count++;

	TRY(write_steps(code, items, count, from, table, err));
	TRY(new_line(code, err));
	fprintf(code->code, "play(%zu, steps_%u_%u);\n", count, code->number, table);
	return 0;
}

/* ---------------------------------------------------------------------------- loops */

static void write_block(const struct flow_block *block, int depth, FILE *stream)
{
	if (block->first == block->last) {
		fprintf(stream, "i%d == %" PRIu64, depth, block->first);
		return;
	}
	if (block->first)
		fprintf(stream, "i%d >= %" PRIu64 " && ", depth, block->first);
	fprintf(stream, "i%d <= %" PRIu64, depth, block->last);
	if (!block->stride)
		return;
	if (block->first)
		fprintf(stream, " && (i%d - %" PRIu64 ") %% %" PRIu64, depth, block->first,
			block->stride);
	else
		fprintf(stream, " && i%d %% %" PRIu64, depth, block->stride);
	if (block->length == 1)
		fputs(" == 0", stream);
	else
		fprintf(stream, " < %" PRIu64, block->length);
}

/* Write the variants of a loop as tables, and which one each iteration is. */
static int write_variants(struct class_code *code, const struct flow_tree_symbol *symbol,
			  uint32_t table, struct error *err)
{
	const uint32_t first = code->tables_count;

	code->tables_count += (uint32_t)symbol->variants.count;
	for (uint32_t v = 0; v < symbol->variants.count; v++) {
		const struct flow_tree_list list = flow_tree_get(&code->tree,
								 symbol->variants.items[v].list);

		TRY(write_steps(code, list.items, list.count, NO_NODE, first + v, err));
	}
	fprintf(code->tables, "static const struct sequence variants_%u_%u[] = {\n", code->number,
		table);
	for (uint32_t v = 0; v < symbol->variants.count; v++)
		fprintf(code->tables, "\t{%zu, steps_%u_%u},\n",
			flow_tree_get(&code->tree, symbol->variants.items[v].list).count,
			code->number, first + v);
	fprintf(code->tables, "};\nstatic const int iterations_%u_%u[] = {", code->number, table);
	for (uint64_t i = 0; i < symbol->iterations; i++) {
		size_t v = 0;

		while (!block_has(&symbol->variants.items[v].iterations, i))
			v++;
		fprintf(code->tables, "%s%zu", i == 0 ? "\n\t" : i % 32 ? ", " : ",\n\t", v);
	}
	fputs("\n};\n", code->tables);
	code->classes->lines += symbol->variants.count + symbol->iterations / 32 + 5;
	return 0;
}

/*
 * Write a loop whose iterations are too different for conditions: each plays the table of its
 * variant.
 */
static int write_played_loop(struct class_code *code, const struct flow_tree_symbol *symbol,
			     int depth, struct error *err)
{
	const uint32_t table = code->tables_count++;

	TRY(write_variants(code, symbol, table, err));
	TRY(new_line(code, err));
	fprintf(code->code, "for (int i%d = 0; i%d < %" PRIu64 "; i%d++)\n", depth, depth,
		symbol->iterations, depth);
	code->depth++;
	TRY(new_line(code, err));
	code->depth--;
	fprintf(code->code, "play_one(&variants_%u_%u[iterations_%u_%u[i%d]]);\n", code->number,
		table, code->number, table, depth);
	return 0;
}

static bool has_short_predicates(const struct flow_tree_symbol *symbol)
{
	if (symbol->variants.count > MOST_BLOCKS * 2)
		return false;
	for (size_t v = 0; v + 1 < symbol->variants.count; v++)
		if (symbol->variants.items[v].iterations.count > MOST_BLOCKS)
			return false;
	return true;
}

static void write_predicate(struct class_code *code, const struct flow_tree_symbol *symbol,
			    size_t variant, int depth)
{
	const struct flow_blocks *blocks = &symbol->variants.items[variant].iterations;
	FILE *stream = code->code;

	for (size_t b = 0; b < blocks->count; b++) {
		fputs(b ? " || (" : blocks->count > 1 ? "(" : "", stream);
		write_block(&blocks->items[b], depth, stream);
		fputs(blocks->count > 1 ? ")" : "", stream);
	}
}

/* A list that is being written; loops in it are written before what follows. */
struct code_level {
	struct flow_tree_list list;
	size_t at;
	uint32_t from;			       /* node before */
	const struct flow_tree_symbol *symbol; /* loop whose variants are written, or NULL */
	size_t variant;
	int depth; /* of its counter */
};

struct code_levels {
	ARRAY(struct code_level) levels;
};

/* Write nodes up to the next loop. */
static int write_nodes(struct class_code *code, struct code_level *level, struct error *err)
{
	size_t end = level->at;

	while (end < level->list.count && level->list.items[end] < code->graph->nodes.count)
		end++;
	if (end - level->at > MOST_CODE) {
		TRY(write_table(code, level->list.items + level->at, end - level->at, level->from,
				err));
		level->from = level->list.items[end - 1];
		level->at = end;
	}
	for (; level->at < end; level->at++) {
		const uint32_t node = level->list.items[level->at];

		TRY(write_compute(code, time_before(code, level->from, node), err));
		TRY(write_node(code, node, err));
		level->from = node;
	}
	return 0;
}

static int begin_loop(struct class_code *code, struct code_levels *levels,
		      const struct flow_tree_symbol *symbol, int depth, struct error *err)
{
	struct code_level level = {.symbol = symbol, .depth = depth, .from = NO_NODE};

	if (!has_short_predicates(symbol))
		return write_played_loop(code, symbol, depth, err);
	TRY(new_line(code, err));
	fprintf(code->code, "for (int i%d = 0; i%d < %" PRIu64 "; i%d++) {\n", depth, depth,
		symbol->iterations, depth);
	code->depth++;
	return array_push(&levels->levels, level, err);
}

/* Begin the next variant of a loop, or end the loop. */
static int next_variant(struct class_code *code, struct code_levels *levels, struct error *err)
{
	struct code_level *level = &levels->levels.items[levels->levels.count - 1];
	const size_t v = level->variant++, count = level->symbol->variants.count;
	struct code_level next = {.from = NO_NODE, .depth = level->depth};

	if (v && count > 1)
		code->depth--;
	if (v == count) {
		levels->levels.count--;
		if (count > 1) {
			TRY(new_line(code, err));
			fputs("}\n", code->code);
		}
		code->depth--;
		TRY(new_line(code, err));
		fputs("}\n", code->code);
		return 0;
	}
	if (count > 1) {
		TRY(new_line(code, err));
		fputs(v ? "} else " : "", code->code);
		if (v + 1 < count) {
			fputs("if (", code->code);
			write_predicate(code, level->symbol, v, level->depth);
			fputs(") ", code->code);
		}
		fputs("{\n", code->code);
		code->depth++;
	}
	next.list = flow_tree_get(&code->tree, level->symbol->variants.items[v].list);
	return array_push(&levels->levels, next, err);
}

static int next_item(struct class_code *code, struct code_levels *levels, struct error *err)
{
	struct code_level *level = &levels->levels.items[levels->levels.count - 1];
	uint32_t item, symbol;
	char name[64];

	TRY(write_nodes(code, level, err));
	if (level->at == level->list.count) {
		levels->levels.count--;
		return 0;
	}
	item = level->list.items[level->at++];
	symbol = item - (uint32_t)code->graph->nodes.count;
	level->from = last_node(code, item);
	if (code->uses[symbol] == 1)
		return begin_loop(code, levels, &code->tree.symbols.items[symbol], level->depth + 1,
				  err);
	loop_function(code, item, name, sizeof name);
	TRY(new_line(code, err));
	fprintf(code->code, "%s();\n", name);
	return 0;
}

static int write_levels(struct class_code *code, struct code_levels *levels, struct error *err)
{
	while (levels->levels.count)
		if (levels->levels.items[levels->levels.count - 1].symbol)
			TRY(next_variant(code, levels, err));
		else
			TRY(next_item(code, levels, err));
	return 0;
}

/* Write a function of a list, or of a loop. */
static int write_function(struct class_code *code, const char *name, struct flow_tree_list list,
			  const struct flow_tree_symbol *symbol, struct error *err)
{
	struct code_levels levels = {0};
	int result;

	fprintf(code->code, "static void %s(void)\n{\n", name);
	code->depth = 1;
	result = symbol ? begin_loop(code, &levels, symbol, 0, err)
			: array_push(
				  &levels.levels,
				  ((struct code_level){.list = list, .from = NO_NODE, .depth = -1}),
				  err);
	if (result == 0)
		result = write_levels(code, &levels, err);
	fputs("}\n\n", code->code);
	code->classes->lines += 4;
	array_release(&levels.levels);
	return result;
}

/* Write the functions of loops that occur several times; they may need more of them. */
static int write_waiting(struct class_code *code, struct error *err)
{
	for (size_t s = 0; s < code->tree.symbols.count; s++) {
		char name[48];

		if (!code->waits[s])
			continue;
		code->waits[s] = false;
		snprintf(name, sizeof name, "loop_%u_%zu", code->number, s);
		TRY(write_function(code, name, (struct flow_tree_list){0},
				   &code->tree.symbols.items[s], err));
		s = SIZE_MAX;
	}
	return 0;
}

/* ---------------------------------------------------------------------------- class */

static void count_uses(struct class_code *code, struct flow_tree_list list)
{
	for (size_t i = 0; i < list.count; i++)
		if (list.items[i] >= code->graph->nodes.count)
			code->uses[list.items[i] - code->graph->nodes.count]++;
}

static int prepare(struct class_code *code, struct error *err)
{
	const size_t nodes = code->graph->nodes.count, symbols = code->tree.symbols.count;

	TRY(allocate(&code->uses, symbols + 1, sizeof *code->uses, err));
	TRY(allocate(&code->waits, symbols + 1, sizeof *code->waits, err));
	TRY(allocate(&code->has_visits, nodes, sizeof *code->has_visits, err));
	TRY(allocate(&code->header, nodes, sizeof *code->header, err));
	count_uses(code, flow_tree_root(&code->tree));
	for (size_t s = 0; s < symbols; s++) {
		const struct flow_tree_symbol *symbol = &code->tree.symbols.items[s];

		code->header[symbol->first] = true;
		for (size_t v = 0; v < symbol->variants.count; v++)
			count_uses(code,
				   flow_tree_get(&code->tree, symbol->variants.items[v].list));
	}
	return 0;
}

static int write_code(struct class_code *code, struct error *err)
{
	struct flow_loops loops = {0};
	int result = flow_loops_find(&loops, code->graph, err);

	if (result == 0)
		result = flow_tree_make(&code->tree, code->graph, &loops, err);
	if (result == 0)
		result = prepare(code, err);
	if (result == 0)
		result = write_function(code, code->class->name, flow_tree_root(&code->tree), NULL,
					err);
	if (result == 0)
		result = write_waiting(code, err);
	flow_loops_release(&loops);
	flow_tree_release(&code->tree);
	free(code->uses);
	free(code->waits);
	free(code->has_visits);
	free(code->header);
	return result;
}

int proxy_write_class(struct proxy_classes *classes, struct replay_program *program,
		      uint32_t number, FILE *tables, FILE *code, struct error *err)
{
	struct class_code class_code = {.classes = classes,
					.program = program,
					.class = &classes->classes.items[number],
					.number = number,
					.tables = tables,
					.code = code};

	class_code.graph = &program->flow->graphs.items[class_code.class->graph];
	return write_code(&class_code, err);
}
