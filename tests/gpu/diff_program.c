/* The frame of a program: inputs, single instructions, the entry. */
#include "config.h"

#include "tests/gpu/diff_build.h"

#include <stdio.h>
#include <string.h>

static const char input_flavours[DIFF_INPUTS + 1] = "iiiiiInnnIIIssssfffffddddhHbBp";

const char *build_name(const struct build *build, unsigned value)
{
	static char names[16][16];
	static unsigned next;
	char *name = names[next++ % 16];
	snprintf(name, sizeof(names[0]), "%%%c%u",
		 diff_flavour_width(build->program->values[value].flavour), value);
	return name;
}

bool build_full(const struct build *build, unsigned room)
{
	return build->program->count + room > DIFF_VALUES;
}

unsigned build_pick(struct build *build, char flavour)
{
	const struct diff_program *program = build->program;
	bool flat = program->kind != DIFF_MIXED && build->stores;
	unsigned count = flat ? DIFF_INPUTS : program->count, best = DIFF_VALUES;
	char width = diff_flavour_width(flavour);
	/* An approximate instruction's operand always has its type: the double that it
	 * is compared with is made of it. */
	bool strict = flavour == 'n' || program->kind == DIFF_APPROXIMATE ||
		      build_below(build, 4);
	for (unsigned tries = 0; tries < 400; tries++) {
		unsigned recent = tries % 2 && count > 24 ? count - 24 : 0;
		unsigned value = recent + build_below(build, count - recent);
		char other = program->values[value].flavour;
		if (diff_flavour_width(other) != width)
			continue;
		best = value;
		if (!strict || other == flavour)
			break;
	}
	if (best != DIFF_VALUES)
		return best;
	for (best = 0; diff_flavour_width(program->values[best].flavour) != width;)
		best++;
	return best;
}

void build_source(struct build *build, unsigned value, unsigned source)
{
	struct diff_value *to = &build->program->values[value];
	if (to->source_count < DIFF_SOURCES)
		to->source[to->source_count++] = (uint16_t)source;
}

unsigned build_value(struct build *build, char flavour)
{
	struct diff_program *program = build->program;
	unsigned value = program->count++;
	char width = diff_flavour_width(flavour);
	program->values[value] = (struct diff_value){.flavour = flavour};
	if (build->depth) {
		if (width == 'p')
			bytes_printf(&build->start, "\tsetp.ne.u32 %%p%u, 0, 0;\n", value);
		else
			bytes_printf(&build->start, "\tmov.b%d %%%c%u, 0;\n",
				     width == 'h' ? 16 : width == 'w' ? 32 : 64, width, value);
	}
	for (unsigned i = 0; i < build->condition_count; i++)
		build_source(build, value, build->conditions[i]);
	return value;
}

void build_finish(struct build *build, unsigned value, size_t from)
{
	struct diff_value *done = &build->program->values[value];
	char width = diff_flavour_width(done->flavour);
	done->text_at = (uint32_t)from;
	done->text_size = (uint32_t)(build->body.size_B - from);
	if (!build->stores)
		return;
	unsigned at = 8 * (value - DIFF_INPUTS);
	if (width == 'p')
		bytes_printf(&build->body, "\tselp.b32 %%bit, 1, 0, %%p%u;\n"
			     "\tst.global.b32 [%%out+%u], %%bit;\n", value, at);
	else
		bytes_printf(&build->body, "\tst.global.b%d [%%out+%u], %%%c%u;\n",
			     width == 'h' ? 16 : width == 'w' ? 32 : 64, at, width, value);
}

static void operand(struct build *build, char flavour, unsigned to[2])
{
	if (flavour == '#') {
		bytes_printf(&build->body, ", %u", build_below(build, 256));
		return;
	}
	unsigned source = build_pick(build, flavour);
	for (unsigned i = 0; i < 2 && to[i] != DIFF_VALUES; i++)
		build_source(build, to[i], source);
	bytes_printf(&build->body, ", %s", build_name(build, source));
}

void build_instruction(struct build *build, bool approximate, unsigned n, bool guarded)
{
	char text[64];
	const struct diff_template *template =
		diff_template_write(build->sm, approximate, n, text, sizeof(text));
	const char *operands = template->operands;
	bool pair = operands[0] == 'P';
	unsigned guard = guarded ? build_pick(build, 'p') : 0;
	build->depth += guarded;
	unsigned to[2] = {build_value(build, pair ? 'p' : operands[0]), DIFF_VALUES};
	if (pair)
		to[1] = build_value(build, 'p');
	build->depth -= guarded;
	size_t from = build->body.size_B;
	unsigned visible = build->program->count;
	build->program->count = to[0];
	bytes_append_char(&build->body, '\t');
	if (guarded)
		bytes_printf(&build->body, "@%s%s ", build_below(build, 2) ? "!" : "",
			     build_name(build, guard));
	bytes_printf(&build->body, "%s %s%s%s", text, build_name(build, to[0]),
		     pair ? "|" : "", pair ? build_name(build, to[1]) : "");
	for (const char *at = operands + 1; *at; at++)
		operand(build, *at, to);
	bytes_append_string(&build->body, ";\n");
	build->program->count = visible;
	for (unsigned i = 0; i < 2 && to[i] != DIFF_VALUES; i++) {
		if (guarded)
			build_source(build, to[i], guard);
		build->program->values[to[i]].template = template;
	}
	/* Both of a pair show the instruction, and neither the other's store. */
	size_t end = build->body.size_B;
	for (unsigned i = 0; i < 2 && to[i] != DIFF_VALUES; i++) {
		build_finish(build, to[i], from);
		build->program->values[to[i]].text_size = (uint32_t)(end - from);
	}
}

static void write_inputs(struct build *build)
{
	for (unsigned i = 0; i < DIFF_INPUTS; i++) {
		char flavour = input_flavours[i], width = diff_flavour_width(flavour);
		unsigned value = build_value(build, flavour);
		if (width == 'p')
			bytes_printf(&build->body, "\tld.global.b32 %%bit, [%%in+%u];\n"
				     "\tsetp.ne.b32 %%p%u, %%bit, 0;\n", 8 * i, value);
		else
			bytes_printf(&build->body, "\tld.global.b%d %%%c%u, [%%in+%u];\n",
				     width == 'h' ? 16 : width == 'w' ? 32 : 64, width, value,
				     8 * i);
	}
}

/* Flat programs together go through every way to write every instruction. */
static void write_flat(struct build *build, bool approximate, unsigned turn)
{
	unsigned count = diff_template_count(build->sm, approximate);
	unsigned length = approximate ? 30 : 60;
	for (unsigned i = 0; i < length; i++) {
		/* 7919 is prime: neighbours in the table are not neighbours in programs. */
		uint64_t n = (uint64_t)turn * length + i;
		build_instruction(build, approximate, (unsigned)(n * 7919 % count), false);
	}
}

static void write_mixed(struct build *build)
{
	unsigned count = diff_template_count(build->sm, false);
	char text[64];
	while (!build_full(build, 72)) {
		unsigned what = build_below(build, 10), n = build_below(build, count);
		if (what >= 7)
			build_item(build);
		else if (!diff_template_write(build->sm, false, n, text, sizeof(text))->alone)
			build_instruction(build, false, n, what == 0);
	}
}

static void assemble(struct build *build)
{
	struct bytes *text = &build->program->text;
	bytes_append(text, bytes_string(&build->functions), build->functions.size_B);
	bytes_printf(text, "\n.visible .entry p%u(.param .u64 in, .param .u64 out, "
		     ".param .u64 scratch, .param .u32 stride)\n{\n", build->program->index);
	bytes_append_string(text, "\t.reg .pred %p<256>, %q<256>;\n\t.reg .b16 %h<256>;\n"
		"\t.reg .b32 %w<256>, %t<256>, %bit, %item, %gid, %lane;\n"
		"\t.reg .b64 %l<256>, %u<256>, %in, %out, %scratch, %frame, %far;\n"
		"\t.local .align 16 .b8 private[64];\n"
		"\tmov.u32 %item, %tid.x;\n\tmov.u32 %lane, %laneid;\n"
		"\tmov.u32 %bit, %ctaid.x;\n\tmad.lo.u32 %gid, %bit, 64, %item;\n"
		"\tld.param.u64 %in, [in];\n\tld.param.u64 %out, [out];\n"
		"\tld.param.u64 %scratch, [scratch];\n");
	bytes_printf(text, "\tmad.wide.u32 %%in, %%gid, %u, %%in;\n"
		     "\tld.param.u32 %%bit, [stride];\n"
		     "\tmad.wide.u32 %%out, %%gid, %%bit, %%out;\n"
		     "\tmad.wide.u32 %%scratch, %%gid, %u, %%scratch;\n", 8 * DIFF_INPUTS,
		     DIFF_SCRATCH_B);
	bytes_append(text, bytes_string(&build->start), build->start.size_B);
	uint32_t shift = (uint32_t)text->size_B;
	bytes_append(text, bytes_string(&build->body), build->body.size_B);
	bytes_append_string(text, "\tret;\n}\n");
	for (unsigned i = 0; i < build->program->count; i++)
		build->program->values[i].text_at += shift;
}

bool diff_program_make(struct diff_program *program, uint64_t seed, unsigned index, unsigned sm)
{
	struct build build = {.program = program, .sm = sm, .stores = true};
	uint64_t state = seed * 1000003 + index;
	build.state = diff_random(&state);
	*program = (struct diff_program){.index = index};
	program->kind = index % 10 == 9 ? DIFF_APPROXIMATE : index % 2 ? DIFF_FLAT : DIFF_MIXED;
	write_inputs(&build);
	if (program->kind == DIFF_MIXED)
		write_mixed(&build);
	else if (program->kind == DIFF_FLAT)
		/* Of ten programs 1, 3, 5 and 7 are flat. */
		write_flat(&build, false, index / 10 * 4 + index % 10 / 2);
	else
		write_flat(&build, true, index / 10);
	assemble(&build);
	bool failed = bytes_failed(&build.body) || bytes_failed(&build.start) ||
		      bytes_failed(&build.functions) || bytes_failed(&program->text);
	bytes_finish(&build.body);
	bytes_finish(&build.start);
	bytes_finish(&build.functions);
	return !failed;
}

void diff_program_finish(struct diff_program *program)
{
	bytes_finish(&program->text);
}

void diff_program_header(struct bytes *text, unsigned sm)
{
	bytes_printf(text, ".version %s\n.target sm_%u\n.address_size 64\n"
		     ".shared .align 16 .b8 room[%u];\n.shared .align 16 .b8 common[16];\n",
		     sm >= 100 ? "8.7" : "8.0", sm, 16 * DIFF_GROUP);
}
