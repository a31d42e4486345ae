#include "config.h"

#include "frontend/demangle.h"
#include "frontend/static_objects.h"

#include <string>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace {

std::vector<llvm::CallInst *> calls_of(const llvm::Module &module, const char *name)
{
	std::vector<llvm::CallInst *> calls;
	llvm::Function *function = module.getFunction(name);
	if (!function)
		return calls;
	for (llvm::User *user : function->users())
		if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
			calls.push_back(call);
	return calls;
}

/* The end of the initialization: where the guard is released. */
llvm::BranchInst *end_of(const llvm::CallInst &acquire)
{
	for (llvm::CallInst *release : calls_of(*acquire.getModule(), "__cxa_guard_release"))
		if (release->getFunction() == acquire.getFunction() &&
		    release->getArgOperand(0) == acquire.getArgOperand(0))
			return llvm::dyn_cast<llvm::BranchInst>(
				release->getParent()->getTerminator());
	return nullptr;
}

/* Replaces Clang's "if (acquire) { make; release; }" by "do if (acquire) { make; release; } while (!made)".  If a
 * work-item waited inside acquire, others of its warp might not run, among them the one that makes the object. */
bool wait_around(llvm::CallInst &acquire)
{
	llvm::BasicBlock *block = acquire.getParent();
	auto *choice = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
	llvm::BranchInst *made = end_of(acquire);
	if (&block->front() != &acquire || !choice || !choice->isConditional() || !made ||
	    made->isConditional() || made->getSuccessor(0) != choice->getSuccessor(1) ||
	    llvm::isa<llvm::PHINode>(choice->getSuccessor(1)->front()))
		return false;
	llvm::BasicBlock *after = choice->getSuccessor(1);
	auto *look = llvm::BasicBlock::Create(block->getContext(), "init.look", block->getParent(),
					      after);
	llvm::IRBuilder<> builder(look);
	llvm::FunctionCallee function = block->getModule()->getOrInsertFunction(
		"__culvert_guard_made", acquire.getFunctionType());
	llvm::CallInst *call = builder.CreateCall(function, {acquire.getArgOperand(0)});
	/* LLVM requires a source position for a call in a function that has positions. */
	call->setDebugLoc(acquire.getDebugLoc());
	builder.CreateCondBr(builder.CreateIsNotNull(call), after, block);
	choice->setSuccessor(1, look);
	made->setSuccessor(0, look);
	return true;
}

/* Removes Clang's first check of the guard.  The function that acquires guards checks it, too, in a way that libnvvm
 * does not change. */
void drop_first_look(llvm::GlobalVariable &guard)
{
	std::vector<llvm::LoadInst *> looks;
	for (llvm::User *user : guard.users())
		if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user))
			if (load->isAtomic())
				looks.push_back(load);
	for (llvm::LoadInst *look : looks) {
		look->replaceAllUsesWith(llvm::ConstantInt::get(look->getType(), 0));
		look->eraseFromParent();
	}
}

/* Clang puts guards into no address space, but PTX needs one. */
void move_to_global(llvm::GlobalVariable &variable)
{
	enum { GLOBAL = 1 };
	auto *moved = new llvm::GlobalVariable(
		*variable.getParent(), variable.getValueType(), variable.isConstant(),
		variable.getLinkage(), variable.getInitializer(), "", &variable,
		llvm::GlobalValue::NotThreadLocal, GLOBAL);
	moved->setAlignment(variable.getAlign());
	moved->takeName(&variable);
	variable.replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(moved, variable.getType()));
	variable.eraseFromParent();
}

} // namespace

bool fe_is_guard(const llvm::GlobalVariable &variable)
{
	return variable.getName().find("_ZGV") == 0;
}

enum fe_status fe_static_objects(llvm::Module &module, bytes *log)
{
	for (llvm::CallInst *acquire : calls_of(module, "__cxa_guard_acquire")) {
		if (wait_around(*acquire))
			continue;
		bytes_printf(log, "error: a static object of '%s' is initialized in an unsupported "
				  "way\n",
			     fe_demangle(acquire->getFunction()->getName().str()).c_str());
		return FE_LINK_FAILED;
	}
	std::vector<llvm::GlobalVariable *> guards;
	for (llvm::GlobalVariable &variable : module.globals())
		if (fe_is_guard(variable) && !variable.isDeclaration() && !variable.getAddressSpace())
			guards.push_back(&variable);
	for (llvm::GlobalVariable *guard : guards) {
		drop_first_look(*guard);
		move_to_global(*guard);
	}
	return FE_OK;
}
