#include "config.h"

#include "frontend/module.h"
#include "frontend/reach.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <llvm-c/Core.h>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace {

/* libnvvm takes 4 ms for an empty module, and about 60 us for each instruction.  It does not inline functions of
 * more than about 500 instructions that are called from several places. */
enum { parts_max = 8, part_instructions = 400, inlined_instructions = 500 };

/* The numbers of kernels that become a module of their own. */
using kernel_numbers = std::vector<uint32_t>;
using kernel_list = std::vector<const llvm::GlobalValue *>;

/* A variable that kernels write must be in one module. */
bool has_written_variables(const llvm::Module &module)
{
	for (const llvm::GlobalVariable &variable : module.globals())
		if (!variable.isConstant() && variable.getAddressSpace() != 3 &&
		    variable.getName().find("llvm.") != 0)
			return true;
	return false;
}

kernel_list choose(const kernel_list &kernels, const kernel_numbers &numbers)
{
	kernel_list chosen;
	for (uint32_t number : numbers)
		chosen.push_back(kernels[number]);
	return chosen;
}

/* Functions that are inlined into several others count for each. */
size_t count_instructions(const llvm::Module &module, const fe_reach &needed)
{
	size_t count = 0;
	for (const llvm::Function &function : module)
		if (needed.has(&function))
			count += function.getInstructionCount();
	return count;
}

/* The instructions of functions that libnvvm compiles once for all kernels of a module. */
size_t count_common(const llvm::Module &module, const fe_reach &one, const fe_reach &other)
{
	size_t count = 0;
	for (const llvm::Function &function : module)
		if (one.has(&function) && other.has(&function) &&
		    function.getInstructionCount() > inlined_instructions)
			count += function.getInstructionCount();
	return count;
}

/* Divides neighbouring kernels into runs with about equal numbers of instructions. */
std::vector<kernel_numbers> share_out(const std::vector<size_t> &instructions)
{
	std::vector<kernel_numbers> runs;
	size_t all = 0, before = 0;
	for (size_t count : instructions)
		all += count;
	const size_t parts = std::min<size_t>(parts_max, all / part_instructions);
	for (uint32_t i = 0; i < instructions.size(); i++) {
		/* In units of half an instruction: a kernel belongs to the run in which its middle is. */
		const size_t middle = 2 * before + instructions[i];
		if (runs.empty() || (parts && middle * parts >= 2 * all * runs.size()))
			runs.emplace_back();
		runs.back().push_back(i);
		before += instructions[i];
	}
	return runs;
}

/* Whether two modules would have in common a third of the work of the smaller one. */
bool repeats(const llvm::Module &module, const kernel_list &one, const kernel_list &other)
{
	const fe_reach needed(one), also(other);
	return 3 * count_common(module, needed, also) >
	       std::min(count_instructions(module, needed), count_instructions(module, also));
}

/* Joins runs that would repeat too much work: if all kernels of a renderer call the same large functions, each
 * module would contain most of the program. */
std::vector<kernel_numbers> unite(const llvm::Module &module, const kernel_list &kernels,
				  const std::vector<kernel_numbers> &runs)
{
	std::vector<kernel_numbers> parts;
	for (const kernel_numbers &run : runs) {
		const auto part = llvm::find_if(parts, [&](const kernel_numbers &earlier) {
			return repeats(module, choose(kernels, earlier), choose(kernels, run));
		});
		if (part == parts.end())
			parts.push_back(run);
		else
			part->insert(part->end(), run.begin(), run.end());
	}
	return parts;
}

std::unique_ptr<llvm::Module> cut(const llvm::Module &whole, const kernel_list &kernels)
{
	const fe_reach needed(kernels);
	llvm::ValueToValueMapTy values;
	std::unique_ptr<llvm::Module> part = llvm::CloneModule(
		whole, values, [&](const llvm::GlobalValue *value) { return needed.has(value); });
	/* The others have been copied as declarations.  A declared function with local pointers would widen those of the
	 * part (local_pointers.h). */
	for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(part->globals()))
		if (variable.isDeclaration() && variable.use_empty())
			variable.eraseFromParent();
	for (llvm::Function &function : llvm::make_early_inc_range(part->functions()))
		if (function.isDeclaration() && function.use_empty())
			function.eraseFromParent();
	return part;
}

/* The kernels of a module that may be divided, by number; empty if it may not. */
kernel_list kernels_apart(const llvm::Module &module, const abi_program *abi)
{
	kernel_list kernels;
	if (abi->kernel_count < 2 || has_written_variables(module))
		return kernels;
	for (uint32_t i = 0; i < abi->kernel_count; i++)
		if (const llvm::Function *kernel = module.getFunction(abi->kernels[i].entry))
			kernels.push_back(kernel);
	if (kernels.size() != abi->kernel_count)
		kernels.clear();
	return kernels;
}

/* Appends a module with these kernels. */
enum fe_status print_part(const fe_module *whole, const kernel_list &kernels,
			  const kernel_numbers &numbers, const abi_program *abi,
			  const fe_compile_job *target, bytes *text, bytes *log)
{
	std::unique_ptr<llvm::Module> part =
		cut(*llvm::unwrap(whole->module), choose(kernels, numbers));
	const fe_module module = {whole->context, llvm::wrap(part.get())};
	std::vector<abi_kernel> own_kernels;
	for (uint32_t number : numbers)
		own_kernels.push_back(abi->kernels[number]);
	abi_program facts = *abi;
	facts.kernels = own_kernels.data();
	facts.kernel_count = uint32_t(numbers.size());
	bytes own = {};
	enum fe_status status = fe_module_print(&module, &facts, target, &own, log);
	bytes_append(text, own.data, own.size_B);
	bytes_finish(&own);
	return status;
}

} // namespace

enum fe_status fe_module_print_parts(const struct fe_module *module, const struct abi_program *abi,
				     const struct fe_compile_job *target, struct bytes *text_out,
				     struct bytes *log)
{
	const llvm::Module &whole = *llvm::unwrap(module->module);
	const kernel_list kernels = kernels_apart(whole, abi);
	std::vector<size_t> instructions;
	for (const llvm::GlobalValue *kernel : kernels)
		instructions.push_back(count_instructions(whole, fe_reach({kernel})));
	const std::vector<kernel_numbers> parts = unite(whole, kernels, share_out(instructions));
	if (parts.size() < 2)
		return fe_module_print(module, abi, target, text_out, log);
	enum fe_status status = FE_OK;
	bytes text = {};
	for (size_t i = 0; i < parts.size() && !status; i++) {
		if (i)
			bytes_append_char(&text, '\0');
		status = print_part(module, kernels, parts[i], abi, target, &text, log);
	}
	if (!status && bytes_failed(&text))
		status = FE_NO_MEMORY;
	if (!status)
		bytes_move(text_out, &text);
	bytes_finish(&text);
	return status;
}
