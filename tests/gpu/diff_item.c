/* The larger pieces of mixed programs. */
#include "config.h"

#include "tests/gpu/diff_build.h"

#include <stdio.h>
#include <string.h>

static unsigned label(struct build *build)
{
	return build->labels++;
}

static unsigned temporary(struct build *build)
{
	return build->temporaries++ % 255;
}

/* -- control ------------------------------------------------------------------------ */

static void one_instruction(struct build *build)
{
	char text[64];
	unsigned n;
	do
		n = build_below(build, diff_template_count(build->sm, false));
	while (diff_template_write(build->sm, false, n, text, sizeof(text))->alone);
	build_instruction(build, false, n, false);
}

static void private_memory(struct build *build);
static void private_atomic(struct build *build);
static void branch(struct build *build);
static void loop(struct build *build);

static void block(struct build *build, unsigned condition)
{
	build->depth++;
	build->conditions[build->condition_count++] = (uint16_t)condition;
	unsigned count = 1 + build_below(build, 3);
	while (count-- && !build_full(build, 32)) {
		unsigned what = build_below(build, 12);
		if (what == 0)
			private_memory(build);
		else if (what == 1)
			private_atomic(build);
		else if (what == 2 && build->depth < 3)
			branch(build);
		else if (what == 3 && build->depth < 3)
			loop(build);
		else
			one_instruction(build);
	}
	build->condition_count--;
	build->depth--;
}

static void branch(struct build *build)
{
	unsigned otherwise = label(build), end = label(build), p = build_pick(build, 'p');
	bytes_printf(&build->body, "\t@%s%s bra L%u;\n", build_below(build, 2) ? "!" : "",
		     build_name(build, p), otherwise);
	block(build, p);
	if (build_below(build, 2)) {
		bytes_printf(&build->body, "\tbra L%u;\nL%u:\n", end, otherwise);
		block(build, p);
		bytes_printf(&build->body, "L%u:\n", end);
	} else {
		bytes_printf(&build->body, "L%u:\n", otherwise);
	}
}

/* At most seven turns; the number of the turn and a sum are values. */
static void loop(struct build *build)
{
	unsigned head = label(build), end = label(build), t = temporary(build);
	unsigned trips = build_pick(build, 'i');
	bytes_printf(&build->body, "\tand.b32 %%t%u, %s, 7;\nL%u:\n"
		     "\tsetp.eq.u32 %%q%u, %%t%u, 0;\n\t@%%q%u bra L%u;\n", t,
		     build_name(build, trips), head, t, t, t, end);
	build->depth++;
	size_t from = build->body.size_B;
	unsigned turn = build_value(build, 'i');
	build_source(build, turn, trips);
	bytes_printf(&build->body, "\tmov.b32 %s, %%t%u;\n", build_name(build, turn), t);
	build_finish(build, turn, from);
	build->depth--;
	block(build, turn);
	build->depth++;
	unsigned term = build_pick(build, 'i');
	unsigned sum = build_value(build, 'i');
	from = build->body.size_B;
	bytes_printf(&build->body, "\tmad.lo.u32 %s, %s, 33, %s;\n", build_name(build, sum),
		     build_name(build, sum), build_name(build, term));
	build_source(build, sum, term);
	build_source(build, sum, turn);
	build_finish(build, sum, from);
	build->depth--;
	bytes_printf(&build->body, "\tsub.u32 %%t%u, %%t%u, 1;\n\tbra L%u;\nL%u:\n", t, t, head,
		     end);
}

static void brx(struct build *build)
{
	unsigned first = label(build), end, t = temporary(build), chooser;
	build->labels += 3;
	end = label(build);
	chooser = build_pick(build, 'i');
	bytes_printf(&build->body, "\tand.b32 %%t%u, %s, 3;\nT%u:\n"
		     "\t.branchtargets L%u, L%u, L%u, L%u;\n\tbrx.idx %%t%u, T%u;\n", t,
		     build_name(build, chooser), first, first, first + 1, first + 2, first + 3, t,
		     first);
	for (unsigned i = 0; i < 4; i++) {
		bytes_printf(&build->body, "L%u:\n", first + i);
		block(build, chooser);
		bytes_printf(&build->body, "\tbra L%u;\n", end);
	}
	bytes_printf(&build->body, "L%u:\n", end);
}

/* -- calls -------------------------------------------------------------------------- */

/* A function of (i, I, f) that gives an i: made with the same pen, on values of
 * its own. */
static unsigned function(struct build *build)
{
	static struct diff_program inside;
	struct build pen = {.program = &inside, .sm = build->sm, .state = build->state};
	unsigned id = label(build), count = 2 + build_below(build, 5);
	inside = (struct diff_program){.kind = DIFF_MIXED};
	for (const char *at = "iIfsdpn"; *at; at++)
		build_value(&pen, *at);
	while (count--)
		one_instruction(&pen);
	unsigned result = build_pick(&pen, 'i');
	build->state = pen.state;
	bytes_printf(&build->functions, ".func (.param .b32 r) f%u_%u(.param .b32 a, "
		     ".param .b64 b, .param .b32 c)\n{\n\t.reg .pred %%p<64>;\n"
		     "\t.reg .b16 %%h<64>;\n\t.reg .b32 %%w<64>;\n\t.reg .b64 %%l<64>;\n"
		     "\tld.param.b32 %%w0, [a];\n\tld.param.b64 %%l1, [b];\n"
		     "\tld.param.b32 %%w2, [c];\n\tcvt.u16.u64 %%h3, %%l1;\n"
		     "\txor.b64 %%l4, %%l1, 0x3ff0000000000000;\n"
		     "\tsetp.lt.s32 %%p5, %%w0, %%w2;\n\tand.b32 %%w6, %%w0, 63;\n",
		     build->program->index, id);
	bytes_append(&build->functions, bytes_string(&pen.body), pen.body.size_B);
	bytes_printf(&build->functions, "\tst.param.b32 [r], %%w%u;\n\tret;\n}\n", result);
	bytes_finish(&pen.body);
	bytes_finish(&pen.start);
	return id;
}

/* f(a, n): by itself, n & 7 deep. */
static unsigned recursive(struct build *build)
{
	unsigned id = label(build), index = build->program->index;
	bytes_printf(&build->functions, ".func (.param .b32 r) f%u_%u(.param .b32 a, "
		     ".param .b64 b, .param .b32 c)\n{\n\t.reg .pred %%p;\n\t.reg .b32 %%w<5>;\n"
		     "\t.reg .b64 %%l<2>;\n\tld.param.b32 %%w0, [a];\n"
		     "\tld.param.b64 %%l0, [b];\n\tld.param.b32 %%w1, [c];\n"
		     "\tand.b32 %%w1, %%w1, 7;\n\tmov.b32 %%w4, %%w0;\n"
		     "\tsetp.eq.u32 %%p, %%w1, 0;\n\t@%%p bra END;\n\tsub.u32 %%w2, %%w1, 1;\n"
		     "\tmad.lo.u32 %%w3, %%w0, 5, %%w1;\n\tshr.u64 %%l1, %%l0, 1;\n"
		     "\t{\n\t.param .b32 ret;\n\t.param .b32 x;\n\t.param .b64 y;\n"
		     "\t.param .b32 z;\n\tst.param.b32 [x], %%w3;\n\tst.param.b64 [y], %%l1;\n"
		     "\tst.param.b32 [z], %%w2;\n\tcall (ret), f%u_%u, (x, y, z);\n"
		     "\tld.param.b32 %%w4, [ret];\n\t}\n\txor.b32 %%w4, %%w4, %%w0;\n"
		     "\tcvt.u32.u64 %%w3, %%l0;\n\tadd.u32 %%w4, %%w4, %%w3;\nEND:\n"
		     "\tst.param.b32 [r], %%w4;\n\tret;\n}\n", index, id, index, id);
	return id;
}

static void call(struct build *build)
{
	unsigned how = build_below(build, 6), index = build->program->index;
	unsigned f = how == 0 ? recursive(build) : function(build);
	unsigned a = build_pick(build, 'i'), b = build_pick(build, 'I');
	unsigned c = build_pick(build, 'f'), p = 0;
	char name[64], prototype[32] = "";
	size_t from = build->body.size_B;
	snprintf(name, sizeof(name), "f%u_%u", index, f);
	if (how == 1) {
		unsigned g = function(build), t = temporary(build), l = label(build);
		p = build_pick(build, 'p');
		bytes_printf(&build->body, "\tmov.u64 %%u%u, f%u_%u;\n\tmov.u64 %%far, f%u_%u;\n"
			     "\tselp.b64 %%u%u, %%u%u, %%far, %s;\nC%u:\n"
			     "\t.callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _, "
			     ".param .b32 _);\n", t, index, f, index, g, t, t,
			     build_name(build, p), l);
		snprintf(name, sizeof(name), "%%u%u", t);
		snprintf(prototype, sizeof(prototype), ", C%u", l);
	}
	unsigned value = build_value(build, 'i');
	bytes_printf(&build->body, "\t{\n\t.param .b32 ret;\n\t.param .b32 x;\n\t.param .b64 y;\n"
		     "\t.param .b32 z;\n\tst.param.b32 [x], %s;\n\tst.param.b64 [y], %s;\n"
		     "\tst.param.b32 [z], %s;\n\tcall (ret), %s, (x, y, z)%s;\n"
		     "\tld.param.b32 %s, [ret];\n\t}\n", build_name(build, a),
		     build_name(build, b), build_name(build, c), name, prototype,
		     build_name(build, value));
	build_source(build, value, a);
	build_source(build, value, b);
	build_source(build, value, c);
	if (how == 1)
		build_source(build, value, p);
	build_finish(build, value, from);
}

/* -- memory ------------------------------------------------------------------------- */

struct place {
	char space[16], address[16];
	unsigned size_B;
};

/* 16 bytes at an address, of whatever 4 values. */
static void fill(struct build *build, const struct place *place, unsigned sources[4])
{
	bytes_printf(&build->body, "\tst%s.v4.b32 [%s], {", place->space, place->address);
	for (unsigned i = 0; i < 4; i++) {
		sources[i] = build_pick(build, "ifHi"[i]);
		bytes_printf(&build->body, "%s%s", i ? ", " : "", build_name(build, sources[i]));
	}
	bytes_append_string(&build->body, "};\n");
}

struct shape {
	const char *type;
	unsigned size_B, count, offset_B;
	char flavour;             /* of the registers: as wide as the type or wider */
};

static struct shape any_shape(struct build *build)
{
	static const struct { const char *type; unsigned size_B; } types[] = {
		{"b8", 1}, {"u8", 1}, {"s8", 1}, {"b16", 2}, {"u16", 2}, {"s16", 2}, {"b32", 4},
		{"u32", 4}, {"s32", 4}, {"f32", 4}, {"b64", 8}, {"u64", 8}, {"f64", 8}
	};
	unsigned t = build_below(build, sizeof(types) / sizeof(types[0]));
	struct shape shape = {.type = types[t].type, .size_B = types[t].size_B};
	static const char wider[4] = {'s', 'i', 'I', 'I'};
	unsigned least = shape.size_B <= 2 ? 0 : shape.size_B == 4 ? 1 : 2;
	unsigned most = shape.type[0] == 'f' ? least : 2;
	shape.flavour = wider[least + build_below(build, most - least + 1)];
	do
		shape.count = 1u << build_below(build, 3);
	while (shape.count * shape.size_B > 16);
	unsigned whole = shape.count * shape.size_B;
	shape.offset_B = build_below(build, 16 / whole) * whole;
	return shape;
}

static void part_store(struct build *build, const struct place *place, unsigned sources[4],
		       unsigned *count)
{
	struct shape shape = any_shape(build);
	bytes_printf(&build->body, "\tst%s", place->space);
	if (shape.count > 1)
		bytes_printf(&build->body, ".v%u", shape.count);
	bytes_printf(&build->body, ".%s [%s+%u], %s", shape.type, place->address, shape.offset_B,
		     shape.count > 1 ? "{" : "");
	for (unsigned i = 0; i < shape.count; i++) {
		sources[i] = build_pick(build, shape.flavour);
		bytes_printf(&build->body, "%s%s", i ? ", " : "", build_name(build, sources[i]));
	}
	bytes_printf(&build->body, "%s;\n", shape.count > 1 ? "}" : "");
	*count = shape.count;
}

static void part_load(struct build *build, const struct place *place, const unsigned *sources,
		      unsigned source_count, size_t from, bool crosses)
{
	struct shape shape = any_shape(build);
	unsigned to[4];
	for (unsigned i = 0; i < shape.count; i++)
		to[i] = build_value(build, shape.flavour);
	bytes_printf(&build->body, "\tld%s", place->space);
	if (shape.count > 1)
		bytes_printf(&build->body, ".v%u", shape.count);
	bytes_printf(&build->body, ".%s %s", shape.type, shape.count > 1 ? "{" : "");
	for (unsigned i = 0; i < shape.count; i++)
		bytes_printf(&build->body, "%s%s", i ? ", " : "", build_name(build, to[i]));
	bytes_printf(&build->body, "%s, [%s+%u];\n", shape.count > 1 ? "}" : "", place->address,
		     shape.offset_B);
	size_t end = build->body.size_B;
	for (unsigned i = 0; i < shape.count; i++) {
		for (unsigned s = 0; s < source_count; s++)
			build_source(build, to[i], sources[s]);
		build->program->values[to[i]].crosses = crosses;
		build_finish(build, to[i], from);
		build->program->values[to[i]].text_size = (uint32_t)(end - from);
	}
}

/* A lane's own room: in the scratch, in local memory at an index, or in shared. */
static void own_place(struct build *build, struct place *place, unsigned index)
{
	unsigned t = temporary(build), what = build_below(build, 6);
	bool generic = what % 2;
	static const char *const spaces[] = {".global", ".local", ".shared"};
	snprintf(place->space, sizeof(place->space), "%s", generic ? "" : spaces[what / 2]);
	snprintf(place->address, sizeof(place->address), "%%u%u", t);
	if (what / 2 == 0) {
		bytes_printf(&build->body, "\tmov.b64 %%u%u, %%scratch;\n", t);
	} else if (what / 2 == 1) {
		bytes_printf(&build->body, "\tmov.u64 %%u%u, private;\n"
			     "\tand.b32 %%t%u, %s, 3;\n\tmad.wide.u32 %%u%u, %%t%u, 16, %%u%u;\n",
			     t, t, build_name(build, index), t, t, t);
	} else {
		bytes_printf(&build->body, "\tmov.u64 %%u%u, room;\n"
			     "\tmad.wide.u32 %%u%u, %%item, 16, %%u%u;\n", t, t, t);
	}
	if (generic)
		bytes_printf(&build->body, "\tcvta%s.u64 %%u%u, %%u%u;\n", spaces[what / 2], t, t);
}

static void private_memory(struct build *build)
{
	struct place place;
	unsigned sources[9], count;
	size_t from = build->body.size_B;
	sources[8] = build_pick(build, 'i');
	own_place(build, &place, sources[8]);
	fill(build, &place, sources);
	part_store(build, &place, sources + 4, &count);
	sources[4 + count] = sources[8];
	part_load(build, &place, sources, 5 + count, from, false);
}

/* Inputs into shared memory; some of the 16 bytes may be left out, for zeros. */
static unsigned copy_inputs(struct build *build, const struct place *place, unsigned sources[2])
{
	static const unsigned parts[] = {16, 16, 12, 8, 3, 0};
	unsigned pair = build_below(build, DIFF_INPUTS / 2);
	bytes_printf(&build->body, "\tcp.async.%s.shared.global [%s], [%%in+%u], 16, %u;\n"
		     "\tcp.async.%s;\n", build_below(build, 2) ? "ca" : "cg", place->address,
		     16 * pair, parts[build_below(build, 6)],
		     build_below(build, 2) ? "wait_all" : "commit_group;\n\tcp.async.wait_group 0");
	sources[0] = 2 * pair;
	sources[1] = 2 * pair + 1;
	return 2;
}

/* Through shared memory to another lane of the group. */
static void exchange(struct build *build)
{
	struct place own = {.space = ".shared"}, other = {.space = ".shared"};
	unsigned sources[8], count, t = temporary(build), t2 = temporary(build);
	size_t from = build->body.size_B;
	snprintf(own.address, sizeof(own.address), "%%u%u", t);
	snprintf(other.address, sizeof(other.address), "%%u%u", t2);
	bytes_printf(&build->body, "\tmov.u64 %%u%u, room;\n\tmad.lo.u32 %%t%u, %%item, %u, %u;\n"
		     "\tand.b32 %%t%u, %%t%u, 63;\n\tmad.wide.u32 %%u%u, %%t%u, 16, %%u%u;\n"
		     "\tmad.wide.u32 %%u%u, %%item, 16, %%u%u;\n\tbar.sync 0;\n", t, t,
		     1 + 2 * build_below(build, 32), build_below(build, 64), t, t, t2, t, t, t, t);
	if (build->sm >= 80 && build_below(build, 3) == 0) {
		count = copy_inputs(build, &own, sources);
	} else {
		fill(build, &own, sources);
		part_store(build, &own, sources + 4, &count);
		count += 4;
	}
	bytes_append_string(&build->body, "\tbar.sync 0;\n");
	part_load(build, &other, sources, count, from, true);
	bytes_append_string(&build->body, "\tbar.sync 0;\n");
}

/* -- atomics ------------------------------------------------------------------------ */

static const struct atomic {
	const char *text;
	char flavour;
	unsigned sm;
	bool commutes;            /* whoever comes first, the end is the same */
} atomics[] = {
	{"add.u32", 'i', 70, true}, {"add.s32", 'i', 70, true}, {"add.u64", 'I', 70, true},
	{"min.u32", 'i', 70, true}, {"max.u32", 'i', 70, true}, {"min.s32", 'i', 70, true},
	{"max.s32", 'i', 70, true}, {"min.u64", 'I', 70, true}, {"max.u64", 'I', 70, true},
	{"min.s64", 'I', 70, true}, {"max.s64", 'I', 70, true}, {"and.b32", 'i', 70, true},
	{"or.b32", 'i', 70, true}, {"xor.b32", 'i', 70, true}, {"and.b64", 'I', 70, true},
	{"or.b64", 'I', 70, true}, {"xor.b64", 'I', 70, true}, {"inc.u32", 'i', 70, false},
	{"dec.u32", 'i', 70, false}, {"exch.b32", 'i', 70, false}, {"exch.b64", 'I', 70, false},
	{"cas.b16", 's', 70, false}, {"cas.b32", 'i', 70, false}, {"cas.b64", 'I', 70, false},
	{"add.f32", 'f', 70, false}, {"add.f64", 'd', 70, false},
	{"add.noftz.f16", 'h', 70, false}, {"add.noftz.f16x2", 'H', 70, false},
	{"add.noftz.bf16", 'b', 90, false}, {"add.noftz.bf16x2", 'B', 90, false}
};

static const struct atomic *any_atomic(struct build *build, bool commutes)
{
	const struct atomic *atomic;
	do
		atomic = &atomics[build_below(build, sizeof(atomics) / sizeof(atomics[0]))];
	while (atomic->sm > build->sm || (commutes && !atomic->commutes));
	return atomic;
}

static int width_bits(char flavour)
{
	char width = diff_flavour_width(flavour);
	return width == 'h' ? 16 : width == 'w' ? 32 : 64;
}

/* A lane by itself: what was there, and what is. */
static void private_atomic(struct build *build)
{
	const struct atomic *atomic = any_atomic(build, false);
	char flavour = atomic->flavour;
	int bits = width_bits(flavour);
	bool swaps = !strncmp(atomic->text, "cas", 3), shared = build_below(build, 2);
	unsigned t = temporary(build), first = build_pick(build, flavour);
	unsigned b = swaps && build_below(build, 2) ? first : build_pick(build, flavour);
	unsigned c = build_pick(build, flavour);
	size_t from = build->body.size_B;
	const char *space = shared ? ".shared" : ".global";
	if (shared)
		bytes_printf(&build->body, "\tmov.u64 %%u%u, room;\n"
			     "\tmad.wide.u32 %%u%u, %%item, 16, %%u%u;\n", t, t, t);
	else
		bytes_printf(&build->body, "\tadd.u64 %%u%u, %%scratch, 32;\n", t);
	unsigned old = build_value(build, flavour), now = build_value(build, flavour);
	bytes_printf(&build->body, "\tst%s.b%d [%%u%u], %s;\n\tatom%s.%s %s, [%%u%u], %s", space,
		     bits, t, build_name(build, first), space, atomic->text,
		     build_name(build, old), t, build_name(build, b));
	bytes_printf(&build->body, "%s%s;\n\tld%s.b%d %s, [%%u%u];\n", swaps ? ", " : "",
		     swaps ? build_name(build, c) : "", space, bits, build_name(build, now), t);
	size_t end = build->body.size_B;
	for (unsigned i = 0; i < 2; i++) {
		unsigned value = i ? now : old;
		build_source(build, value, first);
		build_source(build, value, b);
		if (swaps)
			build_source(build, value, c);
		build_finish(build, value, from);
		build->program->values[value].text_size = (uint32_t)(end - from);
	}
}

/* All lanes of a group on one cell. */
static void common_atomic(struct build *build)
{
	const struct atomic *atomic = any_atomic(build, true);
	int bits = width_bits(atomic->flavour);
	unsigned t = temporary(build), source = build_pick(build, atomic->flavour);
	size_t from = build->body.size_B;
	unsigned value = build_value(build, atomic->flavour);
	bytes_printf(&build->body, "\tbar.sync 0;\n\tsetp.eq.u32 %%q%u, %%item, %u;\n"
		     "\t@%%q%u st.shared.b64 [common], %u;\n\tbar.sync 0;\n"
		     "\tred.shared.%s [common], %s;\n\tbar.sync 0;\n\tld.shared.b%d %s, [common];\n",
		     t, build_below(build, DIFF_GROUP), t, build_below(build, 1000), atomic->text,
		     build_name(build, source), bits, build_name(build, value));
	build_source(build, value, source);
	build->program->values[value].crosses = true;
	build_finish(build, value, from);
}

/* -- the lanes of a warp together ----------------------------------------------------- */

struct members {
	uint32_t mask;
	unsigned segment;         /* the mask is made of runs of so many lanes */
	unsigned end;             /* label after the part for members only */
};

static struct members begin_members(struct build *build)
{
	struct members members = {.mask = 0xffffffff, .segment = 32};
	members.end = label(build);
	if (build_below(build, 2))
		return members;
	members.segment = 4u << build_below(build, 3);
	members.mask = 0;
	for (unsigned at = 0; at < 32; at += members.segment)
		if (build_below(build, 2))
			members.mask |= ((1u << members.segment) - 1) << at;
	members.mask = members.mask ? members.mask : (1u << members.segment) - 1;
	unsigned t = temporary(build);
	bytes_printf(&build->body, "\tmov.b32 %%t%u, %u;\n\tshr.u32 %%t%u, %%t%u, %%lane;\n"
		     "\tand.b32 %%t%u, %%t%u, 1;\n\tsetp.eq.u32 %%q%u, %%t%u, 0;\n"
		     "\t@%%q%u bra L%u;\n", t, members.mask, t, t, t, t, t, t, t, members.end);
	build->depth++;
	return members;
}

static void end_members(struct build *build, const struct members *members)
{
	if (members->segment == 32)
		return;
	build->depth--;
	bytes_printf(&build->body, "L%u:\n", members->end);
}

static void finish_crossing(struct build *build, unsigned value, unsigned a, unsigned b,
			    size_t from, size_t end)
{
	build_source(build, value, a);
	build_source(build, value, b);
	build->program->values[value].crosses = true;
	build_finish(build, value, from);
	build->program->values[value].text_size = (uint32_t)(end - from);
}

static void shuffle(struct build *build)
{
	static const char *const kinds[] = {"up", "down", "bfly", "idx"};
	struct members members = begin_members(build);
	unsigned kind = build_below(build, 4), t = temporary(build);
	unsigned a = build_pick(build, 'i'), b = build_pick(build, 'n');
	size_t from = build->body.size_B;
	unsigned value = build_value(build, 'i'), valid = build_value(build, 'p');
	unsigned segment = members.mask == 0xffffffff ? 32u >> build_below(build, 4) :
			   members.segment;
	unsigned bound = kind == 0 ? 0 : 31;
	if (members.mask == 0xffffffff && build_below(build, 3) == 0)
		bound = build_below(build, 32);
	/* bfly may look below its segment: not out of the mask. */
	bytes_printf(&build->body, "\tand.b32 %%t%u, %s, %u;\n\tshfl.sync.%s.b32 %s|%s, %s, "
		     "%%t%u, %u, %u;\n", t, build_name(build, b),
		     kind == 2 ? segment - 1 : 31, kinds[kind], build_name(build, value),
		     build_name(build, valid), build_name(build, a), t, (32 - segment) << 8 | bound,
		     members.mask);
	size_t end = build->body.size_B;
	finish_crossing(build, value, a, b, from, end);
	finish_crossing(build, valid, a, b, from, end);
	end_members(build, &members);
}

static void vote(struct build *build)
{
	static const char *const kinds[] = {"all.pred", "any.pred", "uni.pred", "ballot.b32"};
	struct members members = begin_members(build);
	unsigned kind = build_below(build, 4), p = build_pick(build, 'p');
	size_t from = build->body.size_B;
	unsigned value = build_value(build, kind == 3 ? 'i' : 'p');
	bytes_printf(&build->body, "\tvote.sync.%s %s, %s%s, %u;\n", kinds[kind],
		     build_name(build, value), build_below(build, 2) ? "!" : "",
		     build_name(build, p), members.mask);
	finish_crossing(build, value, p, p, from, build->body.size_B);
	end_members(build, &members);
}

static void match(struct build *build)
{
	struct members members = begin_members(build);
	bool all = build_below(build, 2), wide = build_below(build, 2);
	unsigned t = temporary(build), a = build_pick(build, wide ? 'I' : 'i');
	size_t from = build->body.size_B;
	unsigned value = build_value(build, 'i');
	unsigned valid = all ? build_value(build, 'p') : 0;
	/* Few different ones, so that some are equal. */
	bytes_printf(&build->body, "\tand.b%d %%%c%u, %s, %u;\n", wide ? 64 : 32, wide ? 'u' : 't',
		     t, build_name(build, a), build_below(build, 4));
	bytes_printf(&build->body, "\tmatch.%s.sync.b%d %s%s%s, %%%c%u, %u;\n",
		     all ? "all" : "any", wide ? 64 : 32, build_name(build, value), all ? "|" : "",
		     all ? build_name(build, valid) : "", wide ? 'u' : 't', t, members.mask);
	size_t end = build->body.size_B;
	finish_crossing(build, value, a, a, from, end);
	if (all)
		finish_crossing(build, valid, a, a, from, end);
	end_members(build, &members);
}

static void redux(struct build *build)
{
	static const char *const kinds[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
					    "max.s32", "and.b32", "or.b32", "xor.b32"};
	if (build->sm < 80) {
		vote(build);
		return;
	}
	struct members members = begin_members(build);
	unsigned a = build_pick(build, 'i');
	size_t from = build->body.size_B;
	unsigned value = build_value(build, 'i');
	bytes_printf(&build->body, "\tredux.sync.%s %s, %s, %u;\n", kinds[build_below(build, 9)],
		     build_name(build, value), build_name(build, a), members.mask);
	finish_crossing(build, value, a, a, from, build->body.size_B);
	end_members(build, &members);
}

static void barrier_reduction(struct build *build)
{
	static const char *const kinds[] = {"popc.u32", "and.pred", "or.pred"};
	unsigned kind = build_below(build, 3), p = build_pick(build, 'p');
	size_t from = build->body.size_B;
	unsigned value = build_value(build, kind ? 'p' : 'i');
	bytes_printf(&build->body, "\tbar.red.%s %s, %u, %s;\n", kinds[kind],
		     build_name(build, value), build_below(build, 16), build_name(build, p));
	finish_crossing(build, value, p, p, from, build->body.size_B);
}

/* -- registers ---------------------------------------------------------------------- */

/* A sum, difference or product of several words, carried from one to the next, or a mixture of them. */
static void carries(struct build *build)
{
	static const char *const links[3][4] = {
		{"add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"},
		{"addc.cc", "subc.cc", "madc.hi.cc", "madc.lo.cc"},
		{"addc", "subc", "madc.lo", "madc.hi"}
	};
	unsigned chain = build_below(build, 4), sources[9], to[3];
	bool wide = chain < 2 && build_below(build, 2), mixed = build_below(build, 2);
	char flavour = wide ? 'I' : 'i';
	size_t from = build->body.size_B;
	for (unsigned i = 0; i < 9; i++)
		sources[i] = build_pick(build, flavour);
	for (unsigned i = 0; i < 3; i++)
		to[i] = build_value(build, flavour);
	for (unsigned i = 0; i < 3; i++) {
		if (mixed)
			chain = build_below(build, wide ? 2 : 4);
		bytes_printf(&build->body, "\t%s.%s %s, %s, %s%s%s;\n", links[i][chain],
			     wide ? "u64" : "u32", build_name(build, to[i]),
			     build_name(build, sources[3 * i]),
			     build_name(build, sources[3 * i + 1]), chain < 2 ? "" : ", ",
			     chain < 2 ? "" : build_name(build, sources[3 * i + 2]));
	}
	size_t end = build->body.size_B;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned s = 0; s < 3 * (i + 1); s++)
			build_source(build, to[i], sources[s]);
		build_finish(build, to[i], from);
		build->program->values[to[i]].text_size = (uint32_t)(end - from);
	}
}

/* Registers of one width to one of another, and apart again. */
static void pack(struct build *build)
{
	static const struct { char whole, part; unsigned count; } packs[] = {
		{'i', 's', 2}, {'I', 'i', 2}, {'I', 's', 4}
	};
	unsigned which = build_below(build, 3), count = packs[which].count, sources[4], to[4];
	bool apart = build_below(build, 2);
	size_t from = build->body.size_B;
	for (unsigned i = 0; i < (apart ? 1 : count); i++)
		sources[i] = build_pick(build, apart ? packs[which].whole : packs[which].part);
	for (unsigned i = 0; i < (apart ? count : 1); i++)
		to[i] = build_value(build, apart ? packs[which].part : packs[which].whole);
	bytes_printf(&build->body, "\tmov.b%d ", width_bits(packs[which].whole));
	for (unsigned side = 0; side < 2; side++) {
		const unsigned *list = side ? sources : to;
		unsigned length = (side == 0) == apart ? count : 1;
		bytes_append_string(&build->body, side ? ", " : "");
		bytes_append_string(&build->body, length > 1 ? "{" : "");
		for (unsigned i = 0; i < length; i++)
			bytes_printf(&build->body, "%s%s", i ? ", " : "",
				     build_name(build, list[i]));
		bytes_append_string(&build->body, length > 1 ? "}" : "");
	}
	bytes_append_string(&build->body, ";\n");
	size_t end = build->body.size_B;
	for (unsigned i = 0; i < (apart ? count : 1); i++) {
		for (unsigned s = 0; s < (apart ? 1 : count); s++)
			build_source(build, to[i], sources[s]);
		build_finish(build, to[i], from);
		build->program->values[to[i]].text_size = (uint32_t)(end - from);
	}
}

void build_item(struct build *build)
{
	static void (*const items[])(struct build *) = {
		branch, branch, loop, loop, brx, call, call, private_memory, private_memory,
		private_memory, exchange, exchange, private_atomic, private_atomic, private_atomic,
		common_atomic, shuffle, shuffle, vote, match, redux, barrier_reduction, carries,
		pack, pack
	};
	items[build_below(build, sizeof(items) / sizeof(items[0]))](build);
}
