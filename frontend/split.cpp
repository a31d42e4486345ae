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

/* libnvvm takes 4 ms for a module with nothing in it, and some 60 us for an instruction. */
enum { parts_max = 8, part_instructions = 400 };

/* Kernels of neighbouring numbers, which become a module of their own. */
struct run_of_kernels {
	uint32_t first, count;
};

/* A variable that kernels write is one for all of them. */
bool has_written_variables(const llvm::Module &module)
{
	for (const llvm::GlobalVariable &variable : module.globals())
		if (!variable.isConstant() && variable.getAddressSpace() != 3 &&
		    variable.getName().find("llvm.") != 0)
			return true;
	return false;
}

/* What is inlined into several counts for each. */
size_t count_instructions(const llvm::Module &module, const llvm::GlobalValue *kernel)
{
	const fe_reach needed({kernel});
	size_t count = 0;
	for (const llvm::Function &function : module)
		if (needed.has(&function))
			count += function.getInstructionCount();
	return count;
}

/* A new run begins where the ones before have their share of all instructions. */
std::vector<run_of_kernels> share_out(const std::vector<size_t> &instructions)
{
	std::vector<run_of_kernels> runs;
	size_t all = 0, before = 0;
	for (size_t count : instructions)
		all += count;
	const size_t parts = std::min<size_t>(parts_max, all / part_instructions);
	for (uint32_t i = 0; i < instructions.size(); i++) {
		/* In halves: a kernel goes where its middle lies. */
		const size_t middle = 2 * before + instructions[i];
		if (runs.empty() || (parts && middle * parts >= 2 * all * runs.size()))
			runs.push_back({i, 0});
		runs.back().count++;
		before += instructions[i];
	}
	return runs;
}

std::unique_ptr<llvm::Module> cut(const llvm::Module &whole,
				  const std::vector<const llvm::GlobalValue *> &kernels)
{
	const fe_reach needed(kernels);
	llvm::ValueToValueMapTy values;
	std::unique_ptr<llvm::Module> part = llvm::CloneModule(
		whole, values, [&](const llvm::GlobalValue *value) { return needed.has(value); });
	/* The others came along as declarations. */
	for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(part->globals()))
		if (variable.isDeclaration() && variable.use_empty())
			variable.eraseFromParent();
	return part;
}

/* The kernels of a module that may be cut, by number; none where it may not. */
std::vector<const llvm::GlobalValue *> kernels_apart(const llvm::Module &module,
						     const abi_program *abi)
{
	std::vector<const llvm::GlobalValue *> kernels;
	if (abi->kernel_count < 2 || has_written_variables(module))
		return kernels;
	for (uint32_t i = 0; i < abi->kernel_count; i++)
		if (const llvm::Function *kernel = module.getFunction(abi->kernels[i].entry))
			kernels.push_back(kernel);
	if (kernels.size() != abi->kernel_count)
		kernels.clear();
	return kernels;
}

/* Appends a module with these kernels, whose numbers begin at first. */
enum fe_status print_part(const fe_module *whole,
			  const std::vector<const llvm::GlobalValue *> &kernels, uint32_t first,
			  const abi_program *abi, const fe_compile_job *target, bytes *text,
			  bytes *log)
{
	std::unique_ptr<llvm::Module> part = cut(*llvm::unwrap(whole->module), kernels);
	const fe_module module = {whole->context, llvm::wrap(part.get())};
	abi_program facts = *abi;
	facts.kernels += first;
	facts.kernel_count = uint32_t(kernels.size());
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
	const std::vector<const llvm::GlobalValue *> kernels = kernels_apart(whole, abi);
	std::vector<size_t> instructions;
	for (const llvm::GlobalValue *kernel : kernels)
		instructions.push_back(count_instructions(whole, kernel));
	const std::vector<run_of_kernels> runs = share_out(instructions);
	if (runs.size() < 2)
		return fe_module_print(module, abi, target, text_out, log);
	enum fe_status status = FE_OK;
	bytes text = {};
	for (size_t i = 0; i < runs.size() && !status; i++) {
		const auto first = kernels.begin() + runs[i].first;
		if (i)
			bytes_append_char(&text, '\0');
		status = print_part(module, {first, first + runs[i].count}, runs[i].first, abi, target,
				    &text, log);
	}
	if (!status && bytes_failed(&text))
		status = FE_NO_MEMORY;
	if (!status)
		bytes_move(text_out, &text);
	bytes_finish(&text);
	return status;
}
