#include "config.h"

#include "frontend/demangle.h"

#include "frontend/symbol.h"

#include <cstring>

#include <llvm/Demangle/Demangle.h>

namespace {

/* Removes text from type; returns whether it was there. */
bool take_out(std::string &type, const char *text)
{
	size_t at = type.find(text);
	if (at == std::string::npos)
		return false;
	type.erase(at, std::strlen(text));
	return true;
}

/* Replaces Clang's " vector[4]" by "4"; returns "" for a scalar. */
std::string take_width(std::string &type)
{
	static const char word[] = " vector[";
	size_t at = type.find(word);
	size_t end = at == std::string::npos ? at : type.find(']', at);
	if (end == std::string::npos)
		return "";
	size_t digits = at + sizeof(word) - 1;
	std::string width = type.substr(digits, end - digits);
	type.erase(at, end + 1 - at);
	return width;
}

const struct {
	const char *cpp;
	const char *opencl;
} type_names[] = {
	{"unsigned char", "uchar"}, {"unsigned short", "ushort"}, {"unsigned int", "uint"},
	{"unsigned long", "ulong"}, {"_Float16", "half"}, {"half", "half"}, {"char", "char"},
	{"short", "short"}, {"int", "int"}, {"long", "long"}, {"float", "float"},
	{"double", "double"},
};

/* Converts "float vector[4] const AS1*" to "__global float4 const*". */
std::string opencl_type(std::string type)
{
	const char *space = take_out(type, " AS1") ? "__global "
			  : take_out(type, " AS3") ? "__local "
			  : take_out(type, " AS4") ? "__constant "
						   : "";
	std::string width = take_width(type);
	for (const auto &row : type_names) {
		size_t length = std::strlen(row.cpp);
		if (type.compare(0, length, row.cpp))
			continue;
		type = row.opencl + width + type.substr(length);
		width.clear();
		break;
	}
	return space + type + width;
}

} // namespace

std::string fe_demangle(const std::string &linked)
{
	std::string symbol = fe_symbol_shown(linked.c_str());
	fe_symbol_clean(symbol.data(), symbol.size());
	std::string plain = llvm::demangle(symbol);
	size_t open = plain.find('(');
	if (plain == symbol || open == std::string::npos || plain.back() != ')')
		return symbol;
	std::string result = plain.substr(0, open + 1);
	size_t start = open + 1, end = plain.size() - 1;
	while (start < end) {
		size_t comma = plain.find(", ", start);
		size_t stop = comma == std::string::npos ? end : comma;
		result += opencl_type(plain.substr(start, stop - start));
		if (comma == std::string::npos)
			break;
		result += ", ";
		start = comma + 2;
	}
	return result + ")";
}
