#include "config.h"

#include "frontend/module.h"

#include <stdlib.h>

#include <llvm-c/Core.h>

/* Named metadata with a node for each compiled source; linking keeps all nodes. */
static const char metadata_name[] = "culvert.codegen";

enum { FIELD_COUNT = 7 };

static void to_fields(const struct codegen_choice *codegen, unsigned fields[FIELD_COUNT])
{
	fields[0] = codegen->flush_denormals;
	fields[1] = codegen->precise_divide;
	fields[2] = codegen->precise_sqrt;
	fields[3] = codegen->fuse_multiply_add;
	fields[4] = codegen->optimization;
	fields[5] = codegen->max_registers;
	fields[6] = (codegen->line_info ? 1u : 0u) | (codegen->verbose ? 2u : 0u) |
		    (codegen->uniform_groups ? 4u : 0u) | (codegen->relaxed ? 8u : 0u) |
		    (codegen->warp_synchronous ? 16u : 0u);
}

static struct codegen_choice from_fields(const unsigned fields[FIELD_COUNT])
{
	return (struct codegen_choice){
		.flush_denormals = fields[0],
		.precise_divide = fields[1],
		.precise_sqrt = fields[2],
		.fuse_multiply_add = fields[3],
		.optimization = fields[4],
		.max_registers = fields[5],
		.line_info = fields[6] & 1,
		.verbose = fields[6] & 2,
		.uniform_groups = fields[6] & 4,
		.relaxed = fields[6] & 8,
		.warp_synchronous = fields[6] & 16,
	};
}

void fe_codegen_put(const struct fe_module *module, const struct codegen_choice *codegen)
{
	unsigned fields[FIELD_COUNT];
	to_fields(codegen, fields);
	LLVMMetadataRef operands[FIELD_COUNT];
	LLVMTypeRef type = LLVMInt32TypeInContext(module->context);
	for (int i = 0; i < FIELD_COUNT; i++)
		operands[i] = LLVMValueAsMetadata(LLVMConstInt(type, fields[i], 0));
	LLVMMetadataRef node = LLVMMDNodeInContext2(module->context, operands, FIELD_COUNT);
	LLVMAddNamedMetadataOperand(module->module, metadata_name,
				    LLVMMetadataAsValue(module->context, node));
}

/* False: the node is not one that was written here. */
static bool read_node(LLVMValueRef node, struct codegen_choice *codegen_out)
{
	LLVMValueRef operands[FIELD_COUNT];
	unsigned fields[FIELD_COUNT];
	if (LLVMGetMDNodeNumOperands(node) != FIELD_COUNT)
		return false;
	LLVMGetMDNodeOperands(node, operands);
	for (int i = 0; i < FIELD_COUNT; i++) {
		if (!operands[i] || !LLVMIsAConstantInt(operands[i]))
			return false;
		fields[i] = (unsigned)LLVMConstIntGetZExtValue(operands[i]);
	}
	*codegen_out = from_fields(fields);
	return true;
}

/* The settings apply to a whole module, so the stricter one is used: a relaxation only if all sources allow it. */
static void merge(struct codegen_choice *all, const struct codegen_choice *one)
{
	all->flush_denormals = all->flush_denormals && one->flush_denormals;
	all->fuse_multiply_add = all->fuse_multiply_add && one->fuse_multiply_add;
	all->relaxed = all->relaxed && one->relaxed;
	all->uniform_groups = all->uniform_groups && one->uniform_groups;
	all->precise_divide = all->precise_divide || one->precise_divide;
	all->precise_sqrt = all->precise_sqrt || one->precise_sqrt;
	all->warp_synchronous = all->warp_synchronous || one->warp_synchronous;
	all->line_info = all->line_info || one->line_info;
	all->verbose = all->verbose || one->verbose;
	if (one->optimization < all->optimization)
		all->optimization = one->optimization;
	if (one->max_registers && (!all->max_registers || one->max_registers < all->max_registers))
		all->max_registers = one->max_registers;
}

enum fe_status fe_codegen_get(const struct fe_module *module, struct codegen_choice *codegen_out)
{
	unsigned count = LLVMGetNamedMetadataNumOperands(module->module, metadata_name);
	LLVMValueRef *nodes = calloc(count + 1u, sizeof(LLVMValueRef));
	if (!nodes)
		return FE_NO_MEMORY;
	LLVMGetNamedMetadataOperands(module->module, metadata_name, nodes);
	struct codegen_choice all = {.optimization = 3}, one;
	bool first = true;
	for (unsigned i = 0; i < count; i++) {
		if (!read_node(nodes[i], &one))
			continue;
		if (first)
			all = one;
		merge(&all, &one);
		first = false;
	}
	free(nodes);
	*codegen_out = all;
	return FE_OK;
}
