/* Runs functions of a module before there is a device that could: no threads, no inline PTX, and of
 * memory only the module's own variables.  C++ only.
 *
 * LLVM's own (llvm/Transforms/Utils/Evaluator.h) has loops, copies of structs and pointers of two
 * address spaces to one variable behind what its optimiser leaves of them, and we run none.
 *
 * Thread-safety: as the module. */
#ifndef CULVERT_FRONTEND_EVALUATOR_H
#define CULVERT_FRONTEND_EVALUATOR_H

#include <map>
#include <string>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace llvm {
class Constant;
class Function;
class GlobalVariable;
class IntrinsicInst;
class Module;
}

class fe_evaluator {
public:
	explicit fe_evaluator(llvm::Module &module);
	~fe_evaluator();

	/* False: it cannot go on, and reason() says why; nothing must be committed then. */
	bool run(llvm::Function &function);
	/* Makes the values that were written the initial values of variables. */
	bool commit();
	const std::string &reason() const { return why; }

private:
	using cells = std::map<uint64_t, llvm::Constant *>;
	using values = llvm::DenseMap<const llvm::Value *, llvm::Constant *>;
	struct place {
		llvm::GlobalVariable *variable;
		uint64_t offset_B;
	};

	bool fail(const std::string &text);
	uint64_t size_of(llvm::Type *type) const;

	bool find(llvm::Constant *pointer, uint64_t size_B, place *out);
	bool byte_at(const place &at, uint64_t offset_B, uint8_t *out, bool *known);
	llvm::Constant *load(const place &at, llvm::Type *type);
	llvm::Constant *load_scalar(const place &at, llvm::Type *type);
	llvm::Constant *load_bytes(const place &at, llvm::Type *type);
	bool store(const place &at, llvm::Constant *value);
	bool make_room(const place &at, uint64_t size_B);
	bool copy(llvm::Constant *to, llvm::Constant *from, uint64_t size_B);
	bool fill(llvm::Constant *to, llvm::Constant *byte, uint64_t size_B);
	llvm::Constant *new_private(llvm::Type *type, unsigned space);
	llvm::Constant *rebuilt(const place &at, llvm::Type *type, llvm::Constant *old);

	llvm::Constant *value_of(const values &frame, llvm::Value *value);
	bool call(llvm::Function &function, std::vector<llvm::Constant *> arguments,
		  llvm::Constant **result);
	bool guard(values &frame, llvm::CallBase &call, bool *done);
	bool call_out(values &frame, llvm::CallBase &call);
	bool intrinsic(values &frame, llvm::IntrinsicInst &call);
	llvm::Constant *compare(const values &frame, llvm::ICmpInst &comparison);
	bool step(values &frame, llvm::Instruction &instruction);
	llvm::BasicBlock *next_block(const values &frame, llvm::Instruction &last);
	bool enter(values &frame, llvm::BasicBlock &block, llvm::BasicBlock *from);

	llvm::Module &module;
	const llvm::DataLayout &layout;
	llvm::TargetLibraryInfoImpl description;
	llvm::TargetLibraryInfo names;
	std::map<llvm::GlobalVariable *, cells> written;
	std::vector<llvm::GlobalVariable *> privates;
	unsigned steps = 0, depth = 0;
	std::string why;
};

#endif
