/* A tool of the build: packs the built-in library for embedding (embedded.h describes the result).
 *
 * pack-builtins BLOB INDEX LIBDEVICE BITCODE...
 *
 * Every bitcode file is divided into small modules of neighbouring functions, each with everything that it needs: a
 * program that uses three of the library's thousands of functions then loads three small modules, whereas loading a
 * whole file takes up to a millisecond.  What two modules need is in both; the linker uses the first.
 *
 * From files for sub-groups of less than 32 work-items, .w8 and .w16, only functions for sub-groups are taken, with the
 * names of sub_group_names.h. */
#include "config.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/sub_group_names.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace {

/* Few programs use the functions for other sizes of sub-groups: these parts are larger, and repeat fewer helpers. */
enum { functions_per_part = 24, sized_functions_per_part = 192, part_alignment_B = 16 };

struct output {
	std::string blob;
	std::map<std::string, std::string> index;   /* symbol -> place */
	std::string layout;                         /* of all files */
};

bool complain(const std::string &text)
{
	std::fprintf(stderr, "pack-builtins: %s\n", text.c_str());
	return false;
}

std::unique_ptr<llvm::MemoryBuffer> read_file(const char *path)
{
	auto buffer = llvm::MemoryBuffer::getFile(path);
	if (buffer)
		return std::move(*buffer);
	complain(std::string(path) + ": " + buffer.getError().message());
	return nullptr;
}

/* The size of sub-groups that the file's name ends with; 0: the usual one. */
unsigned sub_group_size(llvm::StringRef path)
{
	return path.consume_back(".w8") ? 8 : path.consume_back(".w16") ? 16 : 0;
}

/* The names of functions for sub-groups of the size.  Other functions become internal. */
void rename_functions(llvm::Module &module, unsigned size)
{
	for (llvm::Function &function : module) {
		const std::string name = fe_sub_group_name(function.getName(), size);
		if (!name.empty() && !function.hasLocalLinkage())
			function.setName(name);
		else if (!function.isDeclaration())
			function.setLinkage(llvm::GlobalValue::InternalLinkage);
	}
}

std::unique_ptr<llvm::Module> open_module(const llvm::MemoryBuffer &file,
					  llvm::LLVMContext &context)
{
	auto module = llvm::getLazyBitcodeModule(file.getMemBufferRef(), context);
	if (!module) {
		complain(llvm::toString(module.takeError()));
		return nullptr;
	}
	const unsigned size = sub_group_size(file.getBufferIdentifier());
	if (size)
		rename_functions(**module, size);
	return std::move(*module);
}

/* The functions that others may call, in the order of the source, and the data layout. */
bool list_functions(const llvm::MemoryBuffer &file, std::vector<std::string> &names,
		    std::string &layout)
{
	llvm::LLVMContext context;
	std::unique_ptr<llvm::Module> module = open_module(file, context);
	if (!module)
		return false;
	layout = module->getDataLayoutStr();
	for (const llvm::Function &function : *module)
		if (!function.isDeclaration() && !function.hasLocalLinkage())
			names.push_back(function.getName().str());
	return true;
}

/* Removes metadata about the library, which would accumulate in every program. */
void drop_notes(llvm::Module &module)
{
	std::vector<llvm::NamedMDNode *> notes;
	for (llvm::NamedMDNode &node : module.named_metadata())
		if (&node != module.getModuleFlagsMetadata())
			notes.push_back(&node);
	for (llvm::NamedMDNode *node : notes)
		module.eraseNamedMetadata(node);
}

/* A module with the named functions and what they need; empty on failure. */
std::string cut_part(const llvm::MemoryBuffer &file, const std::vector<std::string> &names)
{
	llvm::LLVMContext context;
	std::unique_ptr<llvm::Module> whole = open_module(file, context);
	if (!whole)
		return "";
	llvm::Module part("builtins", context);
	part.setDataLayout(whole->getDataLayout());
	part.setTargetTriple(whole->getTargetTriple());
	for (const std::string &name : names)
		llvm::Function::Create(whole->getFunction(name)->getFunctionType(),
				       llvm::GlobalValue::ExternalLinkage, name, part);
	if (llvm::Linker::linkModules(part, std::move(whole), llvm::Linker::Flags::LinkOnlyNeeded))
		return "";
	drop_notes(part);
	std::string bitcode;
	llvm::raw_string_ostream stream(bitcode);
	llvm::WriteBitcodeToFile(part, stream);
	stream.flush();
	return bitcode;
}

bool add_part(output &output, const llvm::MemoryBuffer &file,
	      const std::vector<std::string> &names)
{
	std::string bitcode = cut_part(file, names);
	if (bitcode.empty())
		return complain(file.getBufferIdentifier().str() + ": cannot be cut");
	std::string place = std::to_string(output.blob.size()) + " " +
			    std::to_string(bitcode.size());
	for (const std::string &name : names)
		if (!output.index.emplace(name, place).second)
			return complain(name + " is defined twice");
	output.blob += bitcode;
	output.blob.resize((output.blob.size() + part_alignment_B - 1) / part_alignment_B *
			   part_alignment_B);
	return true;
}

bool add_library(output &output, const char *path)
{
	std::unique_ptr<llvm::MemoryBuffer> file = read_file(path);
	std::vector<std::string> names;
	if (!file || !list_functions(*file, names, output.layout))
		return false;
	const size_t most = sub_group_size(path) ? sized_functions_per_part : functions_per_part;
	for (size_t start = 0; start < names.size(); start += most) {
		auto first = names.begin() + long(start);
		auto last = names.begin() + long(std::min(names.size(), start + most));
		if (!add_part(output, *file, {first, last}))
			return false;
	}
	return true;
}

bool add_libdevice(output &output, const llvm::MemoryBuffer &file)
{
	std::vector<std::string> names;
	std::string unused;
	if (!list_functions(file, names, unused))
		return false;
	for (const std::string &name : names)
		if (!output.index.emplace(name, "-").second)
			return complain(name + " is in libdevice and in the builtin library");
	return true;
}

uint64_t hash_more(uint64_t hash, llvm::StringRef data)
{
	for (unsigned char c : data)
		hash = (hash ^ c) * 0x100000001b3u;
	return hash;
}

/* The library's id, which changes with everything that can change a compiled program, and the index. */
std::string index_text(const output &output, llvm::StringRef libdevice)
{
	uint64_t id = hash_more(hash_more(0xcbf29ce484222325u, output.blob), libdevice);
	char line[64];
	std::snprintf(line, sizeof(line), "builtins %016llx\n",
		      static_cast<unsigned long long>(id));
	std::string text = line + output.layout + "\n";
	for (const auto &row : output.index)
		text += row.first + " " + row.second + "\n";
	return text;
}

bool write_file(const char *path, const std::string &content)
{
	std::error_code error;
	llvm::raw_fd_ostream stream(path, error);
	if (error)
		return complain(std::string(path) + ": " + error.message());
	stream << content;
	stream.close();
	if (!stream.has_error())
		return true;
	error = stream.error();
	stream.clear_error();
	return complain(std::string(path) + ": " + error.message());
}

bool pack(const char *blob, const char *index, const char *libdevice_path, char **inputs)
{
	output output;
	std::unique_ptr<llvm::MemoryBuffer> libdevice = read_file(libdevice_path);
	if (!libdevice)
		return false;
	for (; *inputs; inputs++)
		if (!add_library(output, *inputs))
			return false;
	return add_libdevice(output, *libdevice) && write_file(blob, output.blob) &&
	       write_file(index, index_text(output, libdevice->getBuffer()));
}

} // namespace

int main(int count, char **words)
{
	if (count < 5) {
		std::fputs("usage: pack-builtins BLOB INDEX LIBDEVICE BITCODE...\n", stderr);
		return 2;
	}
	return pack(words[1], words[2], words[3], words + 4) ? 0 : 1;
}
