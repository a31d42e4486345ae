#include "config.h"

#include "frontend/kernel_bodies.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace {

constexpr char body_prefix[] = "__clang_ocl_kern_imp_";

void empty(llvm::Function &function)
{
	for (llvm::BasicBlock &block : function)
		block.dropAllReferences();
	while (!function.empty())
		function.begin()->eraseFromParent();
}

void restore(llvm::Function &kernel, llvm::Function &body)
{
	empty(kernel);
	while (!body.empty()) {
		llvm::BasicBlock &block = body.front();
		block.removeFromParent();
		block.insertInto(&kernel);
	}
	for (unsigned i = 0; i < kernel.arg_size(); i++) {
		body.getArg(i)->replaceAllUsesWith(kernel.getArg(i));
		kernel.getArg(i)->takeName(body.getArg(i));
	}
	kernel.setSubprogram(body.getSubprogram());
	for (llvm::User *user : body.users())
		if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
			call->setCallingConv(kernel.getCallingConv());
	body.replaceAllUsesWith(&kernel);
	body.eraseFromParent();
}

} // namespace

void fe_kernel_bodies_restore(llvm::Module &module)
{
	for (llvm::Function &body : llvm::make_early_inc_range(module)) {
		llvm::StringRef name = body.getName();
		if (body.isDeclaration() || !name.consume_front(body_prefix))
			continue;
		llvm::Function *kernel = module.getFunction(name);
		if (kernel && !kernel->isDeclaration() &&
		    kernel->getFunctionType() == body.getFunctionType())
			restore(*kernel, body);
	}
}
