/* Names of the builtin library's functions for sub-groups of less than 32 work-items.  The tool that packs the library
 * gives them these names, and the frontend asks for them.  C++ only.  Thread-safety: pure functions. */
#ifndef CULVERT_FRONTEND_SUB_GROUP_NAMES_H
#define CULVERT_FRONTEND_SUB_GROUP_NAMES_H

#include <string>

#include <llvm/ADT/StringRef.h>

/* The name that a function, whose name may be mangled (_Z, the length of the identifier, the identifier, the
 * parameters), has for sub-groups of `size` work-items; "" if it has nothing to do with sub-groups. */
inline std::string fe_sub_group_name(llvm::StringRef symbol, unsigned size)
{
	const std::string prefix = "__culvert_" + std::to_string(size) + "_";
	llvm::StringRef rest = symbol;
	unsigned length = unsigned(symbol.size());
	const bool is_mangled = rest.consume_front("_Z") && !rest.consumeInteger(10, length) && length <= rest.size();
	llvm::StringRef identifier = is_mangled ? rest.substr(0, length) : symbol;
	if (identifier.find("sub_group") == llvm::StringRef::npos)
		return "";
	if (!is_mangled)
		return prefix + symbol.str();
	return "_Z" + std::to_string(length + prefix.size()) + prefix + rest.str();
}

#endif
