#include "config.h"

#include "frontend/lower.h"
#include "frontend/options.h"

/* Constant expressions become instructions before other passes look for halves and for comparisons of local pointers
 * with NULL. */
static enum fe_status expand_constants(struct lowering *lowering)
{
	fe_module_expand_constants(lowering->module);
	return FE_OK;
}

/* The order of the passes matters. Unions and components are looked for in the IR as Clang wrote it. Lowering printf
 * adds an atomic operation and a hidden value. The next five passes change only variables and function
 * bodies. A kernel that is called gets a body of its own before functions stop passing halves, before
 * work-groups of a known size are looked at, and before parameters are added. Passing halves is changed before
 * everything else that half needs. Variables become part of the dynamic local memory before the local
 * pointers of entries do. Entries keep the names of the source until the last pass. */
static enum fe_status (*const passes[])(struct lowering *lowering) = {
	fe_lower_passed_unions,
	fe_lower_unions,
	fe_lower_il_components,
	fe_lower_components,
	fe_lower_il_halves,
	expand_constants,
	fe_lower_checks,
	fe_lower_printf,
	fe_lower_device,
	fe_lower_variables,
	fe_lower_intrinsics,
	fe_lower_instructions,
	fe_lower_relaxed,
	fe_lower_flushed,
	fe_lower_kernel_calls,
	fe_lower_half_calls,
	fe_lower_half,
	fe_lower_images,
	fe_lower_work_items,
	fe_lower_hidden,
	fe_lower_local_indices,
	fe_lower_local,
	fe_lower_entry_names,
};

/* What libnvvm's optimizer gets wrong or does worse than it could. */
static enum fe_status avoid_faults(struct lowering *lowering)
{
	enum fe_status status = fe_lower_merges(lowering);
	if (!nvvm_reads_newer_dialect(lowering->sm, lowering->nvvm_lacks)) {
		/* The others see how memory is accessed. */
		status = status ? status : fe_lower_narrow_vectors(lowering);
		status = status ? status : fe_lower_packed(lowering);
		status = status ? status : fe_lower_private(lowering);
		status = status ? status : fe_lower_generic(lowering);
		status = status ? status : fe_lower_products(lowering);
		status = status ? status : fe_lower_divisions(lowering);
		status = status ? status : fe_lower_cycles(lowering);
		status = status ? status : fe_lower_comparisons(lowering);
		status = status ? status : fe_lower_nans(lowering);
		status = status ? status : fe_lower_bits(lowering);
		status = status ? status : fe_lower_elements(lowering);
		status = status ? status : fe_lower_vector_loads(lowering);
	} else {
		status = status ? status : fe_lower_narrow_cycles(lowering);
	}
	status = status ? status : fe_lower_half_elements(lowering);
	status = status ? status : fe_lower_local_calls(lowering);
	/* Behind the passes that declare variables of their own. */
	return status ? status : fe_lower_lifetimes(lowering);
}

/* For libnvvm of CUDA 12.4 and older. */
static enum fe_status suit_older_libnvvm(struct lowering *lowering)
{
	fe_lower_local_stores(lowering);
	return fe_lower_half_bits(lowering);
}

enum fe_status fe_module_lower(struct fe_module *module, struct abi_program *abi,
			       const struct fe_compile_job *target,
			       const struct codegen_choice *codegen, struct bytes *log)
{
	enum fe_status status = FE_OK;
	struct lowering lowering = {
		.context = module->context,
		.module = module->module,
		.builder = LLVMCreateBuilderInContext(module->context),
		.layout = LLVMGetModuleDataLayout(module->module),
		.abi = abi,
		.max_local_B = target->max_local_B,
		.flushes = codegen->flush_denormals,
		.relaxed = codegen->relaxed,
		.checked = fe_options_checked(),
		.precise_divide = codegen->precise_divide,
		.unoptimized = !codegen->optimization,
		.wide_ids = target->wide_ids,
		.sm = target->sm,
		.nvvm_lacks = target->nvvm_lacks,
		.log = log,
	};
	if (lowering.checked) {
		fe_module_split_arrays(module);
		fe_module_note_assigned(module);
	} else if (!lowering.unoptimized) {
		fe_module_unroll_choices(module);
	}
	for (size_t i = 0; i < sizeof(passes) / sizeof(*passes) && !status; i++)
		status = passes[i](&lowering);
	/* This stands behind the passes, because they look for variables. */
	if (!status && !lowering.unoptimized) {
		fe_module_private_values(module, false);
		fe_module_move_calls(module);
		fe_module_join_conditions(module);
		if (!nvvm_reads_newer_dialect(lowering.sm, lowering.nvvm_lacks)) {
			fe_module_join_counters(module);
			fe_module_type_parameters(module);
			fe_module_keep_addresses(module);
		} else {
			fe_module_keep_loops(module);
		}
	}
	if (!status && lowering.checked) {
		fe_module_private_values(module, true);
		fe_module_assigned_values(module);
		fe_module_inline_short(module);
	}
	if (!status)
		status = fe_lower_component_loads(&lowering);
	if (!status)
		status = fe_lower_il_vectors(&lowering);
	if (!status && !lowering.unoptimized)
		status = avoid_faults(&lowering);
	if (!status && !lowering.unoptimized)
		status = fe_lower_warp_exchanges(&lowering);
	/* Again, because LLVM's builder made constant expressions in the passes. */
	if (!status)
		fe_module_expand_constants(lowering.module);
	if (!status && lowering.nvvm_lacks & NVVM_LACKS_HALF)
		status = suit_older_libnvvm(&lowering);
	LLVMDisposeBuilder(lowering.builder);
	return status;
}
