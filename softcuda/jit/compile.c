/* The steps: it makes a kernel's plan, emits LLVM IR for each region, has LLVM make an object file of the IR, and makes
 * an image of that. */
#include "config.h"

#include "softcuda/jit/compile.h"

#include "softcuda/exec/barrier.h"
#include "softcuda/jit/emit.h"
#include "softcuda/jit/image.h"
#include "softcuda/jit/target.h"

#include <llvm/Config/llvm-config.h>

#include <stdio.h>
#include <stdlib.h>

/* The compiler refuses a kernel with more than SIZE_MAX_OF_IR instructions of LLVM IR, since LLVM takes 0.03 to 0.1 ms
 * for each; the interpreter then runs the kernel. */
enum { NAME_B = 48, SIZE_MAX_OF_IR = 150000 };

/* --- the description of the code (struct compiled) ---------- */

/* Whether a barrier's op is barrier 0 for all work-items, without a reduction (compiled_entry.plain). */
static bool is_plain(const struct plan *plan, uint32_t barrier)
{
	const struct op *op = &plan->code->ops[barrier];
	uint64_t id;
	return op->mode == BARRIER_SYNC && !(op->reads & 4) && plan_constant(plan, op, 1, 32, &id) && !id;
}

/* Lists the registers of which only the first lane's value is saved at the barrier before an entry (emit_save).  False
 * when out of memory. */
static bool find_linear(const struct plan *plan, uint32_t number, struct compiled_entry *to)
{
	const struct plan_entry *entry = &plan->entries[number];
	const uint32_t first = plan->live_at[entry->block], end = plan->live_at[entry->block + 1];
	to->linear = calloc(end - first + 1, sizeof(*to->linear));
	if (!to->linear)
		return false;
	for (uint32_t i = first; i < end; i++) {
		const struct web *web = &plan->webs[plan->live[i]];
		/* The result of the barrier's own op is not saved: it is computed when the barrier completes. */
		const bool given = plan->live[i] == plan->def[(size_t)entry->barrier * OP_OPERANDS];
		if (web->kind == WEB_LINEAR && web->width != 'p' && !given)
			to->linear[to->linear_count++] = (struct compiled_linear){
				web->slot, web->width == 'h' ? 2 : web->width == 'w' ? 4 : 8, web->stride
			};
	}
	return true;
}

static struct compiled *describe(const struct plan *plan)
{
	struct compiled *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->code = plan->code;
	c->width = plan->width;
	c->may_wait = plan->may_wait;
	c->written = plan->watched ? plan_written(plan) : COMPILED_WRITES_ELSEWHERE;
	c->plain = plan->entry_count == 1 && !plan->together && !plan->calls && !plan->may_wait &&
		   !plan->code->local_B && !plan->watched;
	c->entries = calloc(plan->entry_count, sizeof(*c->entries));
	c->slot_parameter = calloc(plan->code->op_count + 1u, sizeof(*c->slot_parameter));
	bool right = c->entries && c->slot_parameter;
	for (uint32_t e = 0; right && e < plan->entry_count; e++) {
		c->entry_count = e + 1;
		if (!e)
			continue;
		c->entries[e].barrier = plan->entries[e].barrier;
		c->entries[e].plain = is_plain(plan, plan->entries[e].barrier);
		right = find_linear(plan, e, &c->entries[e]);
	}
	if (right)
		return c;
	compile_answer_free(c);
	return NULL;
}

/* --- IR and machine code ---------- */

static void fill_types(struct emitter *e)
{
	LLVMContextRef c = e->context;
	e->i1 = LLVMInt1TypeInContext(c);
	e->i8 = LLVMInt8TypeInContext(c);
	e->i16 = LLVMInt16TypeInContext(c);
	e->i32 = LLVMInt32TypeInContext(c);
	e->i64 = LLVMInt64TypeInContext(c);
	e->f32 = LLVMFloatTypeInContext(c);
	e->f64 = LLVMDoubleTypeInContext(c);
	e->pointer = LLVMPointerTypeInContext(c, 0);
}

static void name_region(char *name, uint32_t entry)
{
	snprintf(name, NAME_B, "entry_%u", entry);
}

/* Has LLVM use vectors of 512 bits on hosts that have them; for some processors its default is 256 bits. */
static void add_attributes(const struct emitter *e, value function)
{
	static const char *const names[] = {"prefer-vector-width", "min-legal-vector-width"};
	const unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
	for (unsigned i = 0; i < 2; i++)
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
					LLVMCreateStringAttribute(e->context, names[i], (unsigned)strlen(names[i]),
								  "512", 3));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(e->context, nounwind, 0));
}

/* Says that the function is called, so that LLVM believes the weights of its branches: slow paths are rare, and
 * nothing is computed for them ahead of a loop (loop-sink). */
static void add_profile(const struct emitter *e, value function)
{
	static const char name[] = "function_entry_count";
	LLVMMetadataRef parts[] = {LLVMMDStringInContext2(e->context, name, sizeof(name) - 1),
				   LLVMValueAsMetadata(LLVMConstInt(e->i64, 1, false))};
	LLVMGlobalSetMetadata(function, LLVMGetMDKindIDInContext(e->context, "prof", 4),
			      LLVMMDNodeInContext2(e->context, parts, 2));
}

static unsigned count_instructions(value function)
{
	unsigned count = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (value i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			count++;
	return count;
}

static LLVMMemoryBufferRef emit(struct emitter *e, struct bytes *why)
{
	char name[NAME_B];
	unsigned size = 0;
	fill_types(e);
	for (uint32_t entry = 0; entry < e->plan->entry_count && size <= SIZE_MAX_OF_IR; entry++) {
		name_region(name, entry);
		value function = emit_region(e, entry, name);
		if (!function) {
			bytes_append_string(why, "no memory");
			return NULL;
		}
		add_attributes(e, function);
		add_profile(e, function);
		size += count_instructions(function);
	}
	if (size <= SIZE_MAX_OF_IR)
		return target_compile(e->module, e->level, why);
	bytes_printf(why, "it would be more than %u instructions of LLVM's", (unsigned)SIZE_MAX_OF_IR);
	return NULL;
}

static LLVMMemoryBufferRef make_object(const struct plan *plan, uint32_t level, struct compiled *c,
				       struct bytes *why)
{
	LLVMMemoryBufferRef object = NULL;
	struct emitter e = {
		.plan = plan, .level = level, .native = target_lanes(level, why), .compiled = c,
		.context = LLVMContextCreate(),
		.slot_of = calloc(plan->code->op_count + 1u, sizeof(*e.slot_of))
	};
#if LLVM_VERSION_MAJOR < 17
	LLVMContextSetOpaquePointers(e.context, 1);
#endif
	e.module = LLVMModuleCreateWithNameInContext("kernel", e.context);
	e.builder = LLVMCreateBuilderInContext(e.context);
	if (e.slot_of)
		object = emit(&e, why);
	else
		bytes_append_string(why, "no memory");
	free(e.slot_of);
	LLVMDisposeBuilder(e.builder);
	LLVMDisposeModule(e.module);
	LLVMContextDispose(e.context);
	return object;
}

/* Makes the image of an object file, its links, and the offsets of the entries' functions. */
static bool make_image(struct compiled *c, LLVMMemoryBufferRef object, struct bytes *image, struct bytes *why)
{
#define EXECUTOR_NAME(name) EMIT_EXECUTOR(name),
#define LIBRARY_NAME(name) #name,
	static const char *const outside[] = {COMPILED_FUNCTIONS(EXECUTOR_NAME, LIBRARY_NAME)};
	char (*text)[NAME_B] = calloc(c->entry_count, sizeof(*text));
	struct image_symbol *functions = calloc(c->entry_count, sizeof(*functions));
	struct bytes links = BYTES_INIT;
	bool right = text && functions;
	if (!right)
		bytes_append_string(why, "no memory");
	for (uint32_t e = 0; right && e < c->entry_count; e++) {
		name_region(text[e], e);
		functions[e].name = text[e];
	}
	right = right && image_make(IMAGE_MACHINE, LLVMGetBufferStart(object), LLVMGetBufferSize(object), functions,
				    c->entry_count, outside, COMPILED_FUNCTION_COUNT, image, &links, why);
	for (uint32_t e = 0; right && e < c->entry_count; e++)
		c->entries[e].run = (compiled_run *)(uintptr_t)functions[e].value;
	if (right) {
		c->link_count = (uint32_t)(links.size_B / sizeof(*c->links));
		c->links = (struct compiled_link *)(void *)links.data;
		links = (struct bytes)BYTES_INIT;
	}
	bytes_finish(&links);
	free(text);
	free(functions);
	return right;
}

/* Compiles a kernel that there is a plan of.  NULL, with the reason in why, if it cannot be compiled. */
static struct compiled *compile_plan(const struct plan *plan, uint32_t level, struct bytes *image,
				     struct bytes *why)
{
	struct compiled *c = describe(plan);
	if (!c)
		bytes_append_string(why, "no memory");
	LLVMMemoryBufferRef object = c ? make_object(plan, level, c, why) : NULL;
	const bool right = object && make_image(c, object, image, why);
	if (object)
		LLVMDisposeMemoryBuffer(object);
	if (right)
		return c;
	compile_answer_free(c);
	return NULL;
}

void jit_compile(const struct compile_order *order, struct bytes *answer)
{
	struct plan plan = {0};
	struct compiled *c = NULL;
	struct bytes image = BYTES_INIT, why = BYTES_INIT;
	const uint32_t lanes = target_lanes(order->level, &why);
	if (lanes && plan_create(&plan, &order->program, &order->code, lanes, order->rows, order->watched, &why))
		c = compile_plan(&plan, order->level, &image, &why);
	if (c)
		compile_answer_put(c, &image, answer);
	else
		compile_refusal_put(bytes_string(&why), answer);
	compile_answer_free(c);
	plan_finish(&plan);
	bytes_finish(&image);
	bytes_finish(&why);
}
