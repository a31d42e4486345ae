#include "config.h"

#include "frontend/module.h"

#include <set>
#include <string>
#include <vector>

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace {

using functions = std::set<const llvm::Function *>;

/* The functions that call function, directly or not. */
functions callers_of(const llvm::Function *function)
{
	functions callers;
	std::vector<const llvm::Function *> pending{function};
	while (!pending.empty()) {
		const llvm::Function *callee = pending.back();
		pending.pop_back();
		for (const llvm::User *user : callee->users()) {
			auto *call = llvm::dyn_cast<llvm::CallBase>(user);
			if (call && call->getCalledFunction() == callee && callers.insert(call->getFunction()).second)
				pending.push_back(call->getFunction());
		}
	}
	return callers;
}

/* A call in function of one of callers that is to be inlined anyway; NULL: there is none. */
llvm::CallBase *find_call(llvm::Function *function, const functions &callers)
{
	for (llvm::Instruction &instruction : llvm::instructions(function)) {
		auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
		llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
		if (callee && callee != function && callers.count(callee) &&
		    callee->hasFnAttribute(llvm::Attribute::AlwaysInline))
			return call;
	}
	return nullptr;
}

} // namespace

extern "C" bool fe_inline_callers(LLVMValueRef kernel, LLVMValueRef called)
{
	/* More calls than that are left to libnvvm. */
	constexpr unsigned most_calls = 1000;
	auto *function = llvm::unwrap<llvm::Function>(kernel);
	const functions callers = callers_of(llvm::unwrap<llvm::Function>(called));
	unsigned count = 0;
	for (; count < most_calls; count++) {
		llvm::CallBase *call = find_call(function, callers);
		llvm::InlineFunctionInfo info;
		if (!call || !llvm::InlineFunction(*call, info).isSuccess())
			break;
	}
	return count;
}

namespace {

/* The calls of a function, if all its uses are calls of it. */
std::vector<llvm::CallBase *> calls_of(llvm::Function &function)
{
	std::vector<llvm::CallBase *> calls;
	for (llvm::User *user : function.users()) {
		auto *call = llvm::dyn_cast<llvm::CallBase>(user);
		if (!call || call->getCalledFunction() != &function)
			return {};
		calls.push_back(call);
	}
	return calls;
}

/* Whether a function is short, and has neither private variables in memory nor structures that are copied to it. */
bool is_short(const llvm::Function &function)
{
	constexpr unsigned most_instructions = 100;
	if (function.isDeclaration() || !function.hasInternalLinkage() || function.isVarArg() ||
	    (!function.getSubprogram() && !function.hasFnAttribute(llvm::Attribute::AlwaysInline)) ||
	    function.getInstructionCount() > most_instructions)
		return false;
	for (const llvm::Argument &argument : function.args())
		if (argument.hasByValAttr() || argument.hasStructRetAttr())
			return false;
	for (const llvm::Instruction &instruction : llvm::instructions(function))
		if (llvm::isa<llvm::AllocaInst>(instruction))
			return false;
	return true;
}

/* Marks the file of a function's description, or of a block in it, as that of lines of the function. */
void name_in_file(const llvm::Function &function, llvm::DIScope *scope)
{
	const llvm::DIFile *file = scope->getFile();
	const std::string name = (file->getFilename() + "#culvert_in#" + function.getName()).str();
	scope->replaceOperandWith(0, llvm::DIFile::get(function.getContext(), name, file->getDirectory()));
}

/* Has the lines of a function say that they are its own.  Its blocks name files, too, which differ where the source
 * includes a file inside of the function. */
void name_in_files(llvm::Function &function, llvm::DISubprogram *description)
{
	std::set<llvm::DIScope *> scopes{description};
	for (const llvm::Instruction &instruction : llvm::instructions(function)) {
		const llvm::DILocation *location = instruction.getDebugLoc().get();
		llvm::DILocalScope *scope = location ? location->getScope() : nullptr;
		if (!scope || scope->getSubprogram() != description)
			continue;
		for (; scope != description; scope = llvm::cast<llvm::DILexicalBlockBase>(scope)->getScope())
			scopes.insert(scope);
	}
	for (llvm::DIScope *scope : scopes)
		name_in_file(function, scope);
}

void inline_everywhere(llvm::Function &function)
{
	/* A function that is called so often stays one. */
	constexpr size_t most_calls = 1000;
	const std::vector<llvm::CallBase *> calls = calls_of(function);
	if (calls.empty() || calls.size() > most_calls)
		return;
	if (llvm::DISubprogram *description = function.getSubprogram())
		name_in_files(function, description);
	/* Intrinsics that libnvvm does not know would describe these. */
	for (unsigned i = 0; i < function.arg_size(); i++)
		function.removeParamAttr(i, llvm::Attribute::NoAlias);
	for (llvm::CallBase *call : calls) {
		llvm::InlineFunctionInfo info;
		(void)llvm::InlineFunction(*call, info);
	}
	if (function.use_empty())
		function.eraseFromParent();
}

/* The functions of a module, each behind those that it calls. */
std::vector<llvm::Function *> callees_first(llvm::Module &module)
{
	std::vector<llvm::Function *> order;
	llvm::CallGraph graph(module);
	for (auto part = llvm::scc_begin(&graph); !part.isAtEnd(); ++part)
		for (const llvm::CallGraphNode *node : *part)
			if (llvm::Function *function = node->getFunction())
				order.push_back(function);
	return order;
}

} // namespace

/* Callees first, so that a function which has become long by what it calls is not short any more: a chain of functions
 * with two calls each would double with each link. */
void fe_module_inline_short(struct fe_module *module)
{
	for (llvm::Function *function : callees_first(*llvm::unwrap(module->module)))
		if (is_short(*function) && !callers_of(function).count(function))
			inline_everywhere(*function);
}
