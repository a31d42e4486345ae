/* Executes functions of a module at link time, before there is a device: without threads, without inline PTX, and
 * with access only to the module's own variables.  C++ only.
 *
 * LLVM's own evaluator (llvm/Transforms/Utils/Evaluator.h) needs optimized code: it has no loops, no copies of
 * structs, and no pointers of two address spaces to one variable.
 *
 * Thread-safety: as the module's. */
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

	/* Executes a function.  False: that is not possible, and reason() says why; then commit must not be called. */
	bool run(llvm::Function &function);
	/* Makes the values that were written the initial values of their variables. */
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
