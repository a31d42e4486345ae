#include "config.h"

#include "softcuda/jit/option.h"

#include <llvm/Support/CommandLine.h>

void option_set(const char *name, const char *value)
{
	auto &options = llvm::cl::getRegisteredOptions();
	auto found = options.find(name);
	if (found == options.end())
		return;
	found->second->reset();
	found->second->addOccurrence(0, name, value);
}
