#include "config.h"

#include "backend/ptx_order.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A function of libnvvm's declares about eight. */
enum { CLASSES_MAX = 24, INPUTS_MAX = 3 };

struct span {
	const char *at;
	size_t size_B;
};

/* The registers of one declaration, such as ".reg .b32 %r<13>;". */
struct class {
	struct span prefix;              /* "%r" */
	size_t first, count;             /* places in the registers of the walk */
};

struct reg {
	uint32_t block;                  /* in which it was last read before its first definition; 0: none */
	uint32_t definitions;            /* 2: two or more */
	uint32_t defined;                /* the block of the definition; the function's first for a kernel's argument */
};

/* The registers that an instruction computes with. */
struct inputs {
	size_t places[INPUTS_MAX];
	size_t count;                    /* INPUTS_MAX + 1: too many, or the result also depends on something else */
};

/* A register that was read before its first definition, in the block of the definition. */
struct early {
	struct span name;
	size_t place;
	struct inputs inputs;            /* of the definition */
	uint32_t block;
	uint32_t loop;                   /* the first block of the outermost loop around it; 0: none */
};

/* Blocks are counted from 1, in the order of the text, and begin at labels.  What follows a branch is in the block that
 * the branch is in: it is only entered from there. */
struct walk {
	const char *at, *end;
	size_t size_B;                   /* of the whole text */
	struct span function;            /* its name */
	struct class classes[CLASSES_MAX];
	size_t class_count;
	struct bytes regs;               /* struct reg, of this function */
	struct bytes earlies;            /* struct early, of this function; their blocks ascend */
	struct bytes labels;             /* uint32_t: the block that the label with this number begins; 0: none yet */
	uint32_t block, function_block;  /* the present one, and the function's first */
};

/* --- words --------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' || c == '%' ||
	       c == '.';
}

static bool begins(struct span span, const char *text)
{
	const size_t size_B = strlen(text);
	return span.size_B >= size_B && !memcmp(span.at, text, size_B);
}

static bool is_next(const struct walk *walk, char c)
{
	return walk->at < walk->end && *walk->at == c;
}

static void skip_line(struct walk *walk)
{
	const char *feed = memchr(walk->at, '\n', (size_t)(walk->end - walk->at));
	walk->at = feed ? feed + 1 : walk->end;
}

static void skip_comment(struct walk *walk)
{
	for (walk->at += 2; walk->end - walk->at > 1; walk->at++) {
		if (walk->at[0] == '*' && walk->at[1] == '/') {
			walk->at += 2;
			return;
		}
	}
	walk->at = walk->end;
}

static void skip_blank(struct walk *walk)
{
	while (walk->at < walk->end) {
		const char c = *walk->at, next = walk->end - walk->at > 1 ? walk->at[1] : '\0';
		if (c == ' ' || (c >= '\t' && c <= '\r'))
			walk->at++;
		else if (c == '/' && next == '/')
			skip_line(walk);
		else if (c == '/' && next == '*')
			skip_comment(walk);
		else
			return;
	}
}

/* A word, or another character by itself; empty at the end. */
static struct span next_word(struct walk *walk)
{
	skip_blank(walk);
	const char *from = walk->at;
	while (walk->at < walk->end && is_word(*walk->at))
		walk->at++;
	walk->at += walk->at == from && walk->at < walk->end;
	return (struct span){from, (size_t)(walk->at - from)};
}

/* Reads the digits at *at, which it moves.  SIZE_MAX: there are none, or the number is not less than limit. */
static size_t number_read(const char **at, const char *end, size_t limit)
{
	size_t number = 0;
	const char *from = *at;
	for (; *at < end && is_digit(**at) && number < limit; ++*at)
		number = 10 * number + (size_t)(**at - '0');
	return *at == from || number >= limit ? SIZE_MAX : number;
}

/* --- registers ----------------------------------------------------------------------------- */

static struct reg *reg_at(const struct walk *walk, size_t place)
{
	return (struct reg *)(void *)walk->regs.data + place;
}

/* The digits at the end of a register's name begin there. */
static size_t prefix_size(struct span word)
{
	size_t size_B = 0;
	while (size_B < word.size_B && !is_digit(word.at[size_B]))
		size_B++;
	return size_B;
}

/* The place of a register, or SIZE_MAX for one that was not declared by number, such as %tid.x. */
static size_t place_of(const struct walk *walk, struct span word)
{
	const size_t prefix_B = prefix_size(word);
	const char *digits = word.at + prefix_B, *end = word.at + word.size_B;
	for (size_t i = 0; i < walk->class_count; i++) {
		const struct class *class = &walk->classes[i];
		if (class->prefix.size_B != prefix_B || memcmp(class->prefix.at, word.at, prefix_B))
			continue;
		const size_t number = number_read(&digits, end, class->count);
		return number == SIZE_MAX || digits < end ? SIZE_MAX : class->first + number;
	}
	return SIZE_MAX;
}

/* Reads a declaration, after ".reg".  A count that the text has no room for cannot be libnvvm's. */
static void registers_declare(struct walk *walk)
{
	struct span word, before = {0};
	for (; (word = next_word(walk)).size_B && *word.at != ';'; before = word) {
		if (*word.at != '<' || !begins(before, "%") || walk->class_count == CLASSES_MAX)
			continue;
		struct class class = {before, walk->regs.size_B / sizeof(struct reg), 0};
		class.count = number_read(&walk->at, walk->end, walk->size_B);
		if (class.count == SIZE_MAX || !bytes_extend(&walk->regs, class.count * sizeof(struct reg)))
			continue;
		walk->classes[walk->class_count++] = class;
	}
}

static void register_read(struct walk *walk, struct span word, struct inputs *inputs)
{
	const size_t place = place_of(walk, word);
	if (place != SIZE_MAX && !reg_at(walk, place)->definitions)
		reg_at(walk, place)->block = walk->block;
	if (inputs->count < INPUTS_MAX && place != SIZE_MAX)
		inputs->places[inputs->count++] = place;
	else
		inputs->count = INPUTS_MAX + 1;
}

static void register_define(struct walk *walk, struct span word, bool is_argument)
{
	const size_t place = place_of(walk, word);
	if (place == SIZE_MAX)
		return;
	struct reg *reg = reg_at(walk, place);
	const struct early early = {.name = word, .place = place, .block = walk->block};
	if (!reg->definitions && reg->block == walk->block)
		bytes_append(&walk->earlies, &early, sizeof(early));
	reg->definitions += reg->definitions < 2;
	reg->defined = is_argument ? walk->function_block : walk->block;
}

/* --- labels -------------------------------------------------------------------------------- */

/* The number of a label of libnvvm's, such as "$L__BB3_12"; SIZE_MAX: it is another one. */
static size_t label_number(const struct walk *walk, struct span word)
{
	static const char prefix[] = "$L__BB";
	const char *end = word.at + word.size_B, *at = word.at + strlen(prefix);
	if (!begins(word, prefix) || number_read(&at, end, SIZE_MAX / 16) == SIZE_MAX || at == end || *at++ != '_')
		return SIZE_MAX;
	const size_t number = number_read(&at, end, walk->size_B);
	return at == end ? number : SIZE_MAX;
}

static void label_begin(struct walk *walk, struct span word)
{
	const size_t number = label_number(walk, word), known = walk->labels.size_B / sizeof(uint32_t);
	walk->block++;
	if (number == SIZE_MAX)
		return;
	if (number >= known && !bytes_extend(&walk->labels, (number + 1 - known) * sizeof(uint32_t)))
		return;
	((uint32_t *)(void *)walk->labels.data)[number] = walk->block;
}

/* Whether a register has one definition, and its value stays the same in the loop that begins with this block. */
static bool is_invariant(const struct walk *walk, size_t place, uint32_t loop)
{
	const struct reg *reg = reg_at(walk, place);
	return reg->definitions == 1 && reg->defined < loop;
}

/* Whether nothing can have computed what was read early.  In a loop that is known where the value is the same in each
 * iteration: then it is not that of the former one, which libnvvm would have computed before the loop. */
static bool is_wrong(const struct walk *walk, const struct early *early)
{
	if (reg_at(walk, early->place)->definitions != 1 || (early->loop && early->inputs.count > INPUTS_MAX))
		return false;
	for (size_t i = 0; early->loop && i < early->inputs.count; i++) {
		if (!is_invariant(walk, early->inputs.places[i], early->loop))
			return false;
	}
	return true;
}

/* Reads the target of a branch.  If it is further up, the blocks from there on are in a loop. */
static void branch_read(struct walk *walk, struct span word)
{
	const size_t number = label_number(walk, word), known = walk->labels.size_B / sizeof(uint32_t);
	uint32_t target = number < known ? ((uint32_t *)(void *)walk->labels.data)[number] : 0;
	if (number == SIZE_MAX)
		target = walk->function_block;
	/* A smaller one is of another function: here the label is further down. */
	if (target < walk->function_block)
		return;
	struct early *earlies = (void *)walk->earlies.data;
	for (size_t i = walk->earlies.size_B / sizeof(*earlies); i-- && earlies[i].block >= target;) {
		if (!earlies[i].loop || target < earlies[i].loop)
			earlies[i].loop = target;
	}
}

/* --- instructions -------------------------------------------------------------------------- */

/* Whether an instruction's result depends on the operands alone; of those that compute addresses and indices. */
static bool is_arithmetic(struct span instruction)
{
	static const char *const names[] = {"add.", "sub.", "mul.", "mad.", "shl.",
					    "shr.", "and.", "or.", "cvt.", "cvta."};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (begins(instruction, names[i]))
			return true;
	}
	return false;
}

/* Reads the operands of an instruction and its semicolon.  The registers of the first operand are defined, such as
 * those of "{%r1, %r2}" or "%r1|%p1", except in an address.  A few instructions only read a register there
 * ("bar.sync"): it then has two definitions for this file, and is not found.  An instruction that reads what it defines
 * is one of inline PTX ("+r"), which may do so with an undefined value. */
static void operands_read(struct walk *walk, struct span instruction, struct inputs *inputs)
{
	const bool branches = begins(instruction, "bra") || begins(instruction, ".branchtargets");
	const bool is_argument = begins(instruction, "ld.param");
	const size_t before_B = walk->earlies.size_B;
	bool first = true;
	unsigned depth = 0, addresses = 0;
	for (struct span word; (word = next_word(walk)).size_B && *word.at != ';';) {
		const char c = *word.at;
		if (c == '%')
			first && !addresses ? register_define(walk, word, is_argument)
					    : register_read(walk, word, inputs);
		else if (branches && word.size_B > 1)
			branch_read(walk, word);
		else if (c == ',' && !depth)
			first = false;
		depth += c == '[' || c == '{' || c == '(';
		addresses += c == '[';
		depth -= depth && (c == ']' || c == '}' || c == ')');
		addresses -= addresses && c == ']';
	}
	if (walk->earlies.size_B == before_B)
		return;
	inputs->count = is_arithmetic(instruction) ? inputs->count : INPUTS_MAX + 1;
	for (size_t at_B = before_B; at_B < walk->earlies.size_B; at_B += sizeof(struct early))
		((struct early *)(void *)(walk->earlies.data + at_B))->inputs = *inputs;
}

static void guard_read(struct walk *walk, struct inputs *inputs)
{
	struct span word = next_word(walk);
	if (begins(word, "!"))
		word = next_word(walk);
	register_read(walk, word, inputs);
}

/* Reads an instruction, a directive or a label, which begins with this word. */
static void statement_read(struct walk *walk, struct span word, unsigned depth)
{
	struct inputs inputs = {.count = *word.at == '@' ? INPUTS_MAX + 1 : 0};
	if (*word.at == '@') {
		guard_read(walk, &inputs);
		word = next_word(walk);
	}
	/* These end with their line. */
	if (begins(word, ".loc") && word.size_B == strlen(".loc"))
		skip_line(walk);
	else if (begins(word, ".reg") && depth == 1)
		registers_declare(walk);
	else if (is_next(walk, ':'))
		label_begin(walk, word);
	else
		operands_read(walk, word, &inputs);
}

/* --- functions ----------------------------------------------------------------------------- */

static void function_judge(const struct walk *walk, struct bytes *wrong)
{
	const struct early *earlies = (const void *)walk->earlies.data;
	for (size_t i = 0; i < walk->earlies.size_B / sizeof(*earlies); i++) {
		const struct span name = earlies[i].name, function = walk->function;
		if (!is_wrong(walk, &earlies[i]))
			continue;
		bytes_printf(wrong, "%.*s of %.*s", (int)name.size_B, name.at, (int)function.size_B, function.at);
		return;
	}
}

/* Reads a function, after the brace with which it begins. */
static void body_read(struct walk *walk)
{
	unsigned depth = 1;
	walk->class_count = walk->regs.size_B = walk->earlies.size_B = 0;
	walk->function_block = ++walk->block;
	for (struct span word; depth && (word = next_word(walk)).size_B;) {
		if (*word.at == '{')
			depth++;
		else if (*word.at == '}')
			depth--;
		else if (*word.at != ';' && *word.at != ':')
			statement_read(walk, word, depth);
	}
}

/* Reads what is before a function's body: its name is the first word behind ".entry" or ".func" that is not in
 * parentheses, as its result is.  False at the end. */
static bool head_read(struct walk *walk)
{
	bool function = false;
	unsigned depth = 0;
	for (struct span word; (word = next_word(walk)).size_B;) {
		const char c = *word.at;
		if (c == '{' && function)
			return true;
		const bool begun = begins(word, ".entry") || begins(word, ".func");
		function = (function || begun) && c != ';';
		if (begun)
			walk->function = (struct span){0};
		else if (function && !depth && is_word(c) && c != '.' && !walk->function.size_B)
			walk->function = word;
		depth += c == '(';
		depth -= depth && c == ')';
	}
	return false;
}

enum be_ptx_order be_ptx_order(const char *text, size_t size_B, struct bytes *wrong)
{
	struct walk walk = {.at = text, .end = text + size_B, .size_B = size_B};
	const size_t before_B = wrong->size_B;
	bool failed = false;
	while (!failed && wrong->size_B == before_B && head_read(&walk)) {
		body_read(&walk);
		failed = bytes_failed(&walk.regs) || bytes_failed(&walk.earlies) || bytes_failed(&walk.labels);
		if (!failed)
			function_judge(&walk, wrong);
	}
	bytes_finish(&walk.regs);
	bytes_finish(&walk.earlies);
	bytes_finish(&walk.labels);
	if (failed || bytes_failed(wrong))
		return BE_PTX_ORDER_NO_MEMORY;
	return wrong->size_B == before_B ? BE_PTX_ORDER_RIGHT : BE_PTX_ORDER_WRONG;
}
