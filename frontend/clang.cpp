#include "config.h"

#include "frontend/clang_compat.h"
#include "frontend/clang_hints.h"
#include "frontend/clang_objects.h"
#include "frontend/compiler_thread.h"
#include "frontend/embedded.h"
#include "frontend/features.h"
#include "frontend/kernel_bodies.h"
#include "frontend/module.h"
#include "frontend/options.h"
#include "frontend/vector_literals.h"

#include <climits>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <llvm-c/Core.h>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace {

/* The name that diagnostics show for the source; no real file has it. */
constexpr char source_name[] = "<kernel>";
constexpr char header_folder[] = "<headers>";
constexpr char system_folder[] = "<builtin>";

/* A stream into the build log, without a buffer, so that messages are not lost by a fatal error. */
class log_stream final : public llvm::raw_ostream {
public:
	explicit log_stream(bytes *log) : llvm::raw_ostream(true), log(log) {}
	~log_stream() override { flush(); }

private:
	void write_impl(const char *text, size_t size_B) override
	{
		bytes_append(log, text, size_B);
	}

	uint64_t current_pos() const override { return log->size_B; }

	bytes *log;
};

/* Notes whether the source uses the time: __DATE__, __TIME__, __TIMESTAMP__. */
class time_watch final : public clang::PPCallbacks {
public:
	explicit time_watch(fe_inputs *inputs) : inputs(inputs) {}

private:
	void MacroExpands(const clang::Token &name, const clang::MacroDefinition &definition,
			  clang::SourceRange, const clang::MacroArgs *) override
	{
		const clang::MacroInfo *macro = definition.getMacroInfo();
		if (!macro || !macro->isBuiltinMacro())
			return;
		llvm::StringRef word = name.getIdentifierInfo()->getName();
		if (word == "__DATE__" || word == "__TIME__" || word == "__TIMESTAMP__")
			inputs->changing = true;
	}

	fe_inputs *inputs;
};

/* Runs only Clang's code generator: Clang's own actions would also start a backend, which the LLVM in this process
 * may not have. */
class emit_module final : public clang::ASTFrontendAction {
public:
	/* inputs: NULL if they are not needed. */
	emit_module(llvm::LLVMContext &context, fe_inputs *inputs)
		: context(context), inputs(inputs) {}

	std::unique_ptr<llvm::Module> take_module() { return std::move(module); }

private:
	std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
							      llvm::StringRef) override
	{
		std::unique_ptr<clang::CodeGenerator> code(clang::CreateLLVMCodeGen(
			compiler.getDiagnostics(), "program",
			&compiler.getFileManager().getVirtualFileSystem(),
			compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
			compiler.getCodeGenOpts(), context));
		generator = code.get();
		std::vector<std::unique_ptr<clang::ASTConsumer>> all;
		if (compiler.getLangOpts().CPlusPlus)
			all.push_back(fe_objects_check());
		all.push_back(fe_vector_literals_rewrite());
		all.push_back(std::move(code));
		return std::make_unique<clang::MultiplexConsumer>(std::move(all));
	}

	bool BeginSourceFileAction(clang::CompilerInstance &compiler) override
	{
		if (inputs)
			compiler.getPreprocessor().addPPCallbacks(
				std::make_unique<time_watch>(inputs));
		return true;
	}

	void EndSourceFileAction() override
	{
		clang::CompilerInstance &compiler = getCompilerInstance();
		if (compiler.getDiagnostics().hasErrorOccurred() || !generator->GetModule())
			return;
		merge_inline_functions(compiler.getASTContext());
		module = std::unique_ptr<llvm::Module>(generator->ReleaseModule());
		fe_kernel_bodies_restore(*module);
		/* C++ has overloads of printf, and Clang's header does not declare it as extern "C". */
		if (llvm::Function *printf = module->getFunction("_Z6printfPU3AS4Kcz"))
			printf->setName("printf");
	}

	/* OpenCL C does not say that an external definition of a plain `inline` function is in another file, and
	 * programs expect that such functions exist: they are emitted like other functions (-fgnu89-inline).  But an
	 * inline function of a header must not conflict with itself when programs are linked. */
	void merge_inline_functions(clang::ASTContext &ast)
	{
		for (const clang::Decl *decl : ast.getTranslationUnitDecl()->decls()) {
			const auto *declared = llvm::dyn_cast<clang::FunctionDecl>(decl);
			if (!declared || !declared->isThisDeclarationADefinition() ||
			    !declared->isInlined() || !declared->isExternallyVisible())
				continue;
			auto *function = llvm::dyn_cast_or_null<llvm::Function>(
				generator->GetAddrOfGlobal(clang::GlobalDecl(declared), false));
			if (function && !function->isDeclaration() &&
			    function->hasExternalLinkage())
				function->setLinkage(llvm::GlobalValue::LinkOnceODRLinkage);
		}
	}

	llvm::LLVMContext &context;
	fe_inputs *inputs;
	clang::CodeGenerator *generator = nullptr;
	std::unique_ptr<llvm::Module> module;
};

using file_system = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/* A real file whose content is noted when it is read: that is what Clang has read, even if the file changes a moment
 * later. */
class noted_file final : public llvm::vfs::File {
public:
	noted_file(std::unique_ptr<llvm::vfs::File> file, std::string path, fe_inputs *inputs)
		: file(std::move(file)), path(std::move(path)), inputs(inputs) {}

private:
	llvm::ErrorOr<llvm::vfs::Status> status() override { return file->status(); }
	llvm::ErrorOr<std::string> getName() override { return file->getName(); }
	std::error_code close() override { return file->close(); }

	llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
	getBuffer(const llvm::Twine &name, int64_t size_B, bool needs_nul, bool) override
	{
		/* With the flag for volatile files it is read and not mapped, so that the bytes do not change. */
		auto buffer = file->getBuffer(name, size_B, needs_nul, true);
		if (buffer) {
			hash content = hash_of((*buffer)->getBufferStart(),
					       (*buffer)->getBufferSize());
			fe_inputs_add(inputs, FE_INPUT_CONTENT, path.c_str(), &content);
		}
		return buffer;
	}

	std::unique_ptr<llvm::vfs::File> file;
	std::string path;
	fe_inputs *inputs;
};

/* Why a file that exists is not opened, for Clang's message "cannot open file 'NAME': ...". */
enum class refusal { no_regular_file = 1, too_large };

class refusal_words final : public std::error_category {
	const char *name() const noexcept override { return "culvert"; }
	std::string message(int value) const override
	{
		return static_cast<refusal>(value) == refusal::too_large
			? "it is larger than " + std::to_string(BYTES_FILE_MAX_B >> 20) + " MiB"
			: "it is no regular file";
	}
};

std::error_code refused(refusal reason)
{
	static const refusal_words words;
	return {static_cast<int>(reason), words};
}

/* Only regular files are opened: a FIFO could block, and a device may have no end. */
std::error_code openable(const llvm::ErrorOr<llvm::vfs::Status> &there)
{
	if (!there || there->isDirectory())
		return {};
	if (there->getType() != llvm::sys::fs::file_type::regular_file)
		return refused(refusal::no_regular_file);
	return there->getSize() > BYTES_FILE_MAX_B ? refused(refusal::too_large)
						   : std::error_code();
}

/* The real files, for -I, behind files that exist only in memory.  LLVM's own overlay needs a current directory,
 * which the application may have deleted. */
class source_files final : public llvm::vfs::ProxyFileSystem {
public:
	/* inputs: gets the queries of real files; NULL if they are not needed. */
	explicit source_files(fe_inputs *inputs)
		: llvm::vfs::ProxyFileSystem(llvm::vfs::getRealFileSystem()), inputs(inputs) {}

	/* OpenCL 3.0 API, 5.8.2: of headers with the same name the first counts.  A name may also be a folder of
	 * another name ("a" and "a/b.h"); then another file system in memory is used for it. */
	void add(const std::string &path, const char *text, size_t size_B)
	{
		for (const auto &layer : memory) {
			auto there = layer->status(path);
			if (there && !there->isDirectory())
				return;
			if (!there && add_to(*layer, path, text, size_B))
				return;
		}
		memory.emplace_back(new llvm::vfs::InMemoryFileSystem);
		add_to(*memory.back(), path, text, size_B);
	}

	llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override
	{
		auto found = status_in_memory(path);
		if (found || in_memory_only(path))
			return found;
		found = ProxyFileSystem::status(path);
		note(path, found);
		return found;
	}

	llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
	openFileForRead(const llvm::Twine &path) override
	{
		for (const auto &layer : memory)
			if (auto there = layer->openFileForRead(path))
				return there;
		if (in_memory_only(path))
			return std::make_error_code(std::errc::no_such_file_or_directory);
		if (std::error_code reason = openable(ProxyFileSystem::status(path)))
			return reason;
		auto found = ProxyFileSystem::openFileForRead(path);
		if (found && inputs)
			return std::make_unique<noted_file>(std::move(*found), path.str(), inputs);
		if (!found)
			note(path, found.getError());
		return found;
	}

private:
	static bool add_to(llvm::vfs::InMemoryFileSystem &layer, const std::string &path,
			   const char *text, size_t size_B)
	{
		return layer.addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(
						      llvm::StringRef(text, size_B), path));
	}

	/* If a name is a file and a folder, the folder: Clang asks for the status only of files that it has opened. */
	llvm::ErrorOr<llvm::vfs::Status> status_in_memory(const llvm::Twine &path)
	{
		llvm::ErrorOr<llvm::vfs::Status> found =
			std::make_error_code(std::errc::no_such_file_or_directory);
		for (const auto &layer : memory) {
			auto there = layer->status(path);
			if (there && (!found || there->isDirectory()))
				found = there;
		}
		return found;
	}

	/* A folder of this name in the application's current folder must not be searched. */
	static bool in_memory_only(const llvm::Twine &path)
	{
		std::string name = path.str();
		return !name.compare(0, sizeof(header_folder) - 1, header_folder) ||
		       !name.compare(0, sizeof(system_folder) - 1, system_folder);
	}

	void note(const llvm::Twine &path, const llvm::ErrorOr<llvm::vfs::Status> &found)
	{
		std::string name = path.str();
		if (!inputs || !noted.insert(name).second)
			return;
		enum fe_input_kind kind = !found ? FE_INPUT_ABSENT
					  : found->isDirectory() ? FE_INPUT_FOLDER
								 : FE_INPUT_FILE;
		fe_inputs_add(inputs, kind, name.c_str(), nullptr);
	}

	std::vector<llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>> memory;
	fe_inputs *inputs;
	std::set<std::string> noted;
};

/* Whether the name is that of a file.  A file with the name of a folder would hide everything in the folder. */
bool names_a_file(llvm::StringRef name)
{
	llvm::StringRef last = llvm::sys::path::filename(name);
	return !last.empty() && last != "." && last != "..";
}

file_system make_file_system(const fe_compile_job *job)
{
	llvm::IntrusiveRefCntPtr<source_files> files(new source_files(job->inputs));
	files->add(std::string(system_folder) + "/opencl-c-base.h", fe_embedded_header,
		   size_t(fe_embedded_header_end - fe_embedded_header));
	for (size_t i = 0; i < job->header_count; i++) {
		const fe_header &header = job->headers[i];
		if (!names_a_file(header.name))
			continue;
		std::string path = header.name[0] == '/'
			? std::string(header.name)
			: std::string(header_folder) + "/" + header.name;
		files->add(path, header.text, header.size_B);
	}
	return files;
}

const char *standard_word(const fe_options *options)
{
	if (options->cxx)
		return options->standard == 200 ? "-cl-std=CLC++1.0" : "-cl-std=CLC++2021";
	switch (options->standard) {
	case 100:
		return "-cl-std=CL1.0";
	case 110:
		return "-cl-std=CL1.1";
	case 120:
		return "-cl-std=CL1.2";
	case 200:
		return "-cl-std=CL2.0";
	default:
		return "-cl-std=CL3.0";
	}
}

/* Clang 16 and newer refuse what older ones, and compilers that are made of them, take with a warning: a pointer that
 * becomes an integer without a cast, or the reverse, and declarations without a type.  Existing programs have these.
 * With -Werror they are errors, like every warning (OpenCL C does not allow them). */
void keep_warnings(std::vector<const char *> &arguments)
{
	const auto is_werror = [](const char *argument) { return !std::strcmp(argument, "-Werror"); };
	if (std::none_of(arguments.begin(), arguments.end(), is_werror))
		arguments.insert(arguments.end(), {"-Wno-error=int-conversion", "-Wno-error=implicit-int"});
}

/* Clang's command line.  The strings belong to options, words or the program text. */
std::vector<const char *> make_arguments(const fe_options *options, const fe_words *words,
					 llvm::StringRef source)
{
	std::vector<const char *> arguments = {
		"-triple", "nvptx64-nvidia-cuda", "-x", "cl", "-main-file-name", source_name,
		standard_word(options),
		"-fdeclare-opencl-builtins", "-finclude-default-header",
		"-nostdsysteminc", "-nobuiltininc", "-internal-isystem", system_folder,
		"-I", header_folder,
		"-cl-kernel-arg-info", "-fno-builtin",
		"-fgnu-keywords", /* asm */
		/* OpenCL C 3.0, 6.3.4 reserves long double.  Otherwise Clang makes it 128 bits, which libnvvm lacks. */
		"-mlong-double-64",
		/* C++ for OpenCL, 3.2: there is no typeid where nothing is virtual. */
		options->cxx ? "-fno-rtti" : "-fgnu89-inline",
		"-ferror-limit", "20",
		/* INFINITY as a first minimum is common, in programs that are built with
		 * -cl-fast-relaxed-math and -Werror, too.  Clang before 18 knows no such word. */
		"-Wno-unknown-warning-option", "-Wno-nan-infinity-disabled",
		options->codegen.optimization ? "-O2" : "-O0", "-disable-llvm-passes",
	};
	if (options->codegen.line_info) {
		/* Code that is not optimized can be examined in a debugger, with its variables.  LLVM before 19
		 * describes variables by calls. */
		const bool full = !options->codegen.optimization && !fe_options_checked() &&
				  LLVM_VERSION_MAJOR >= 19;
		const char *const debug[] = {
			full ? "-debug-info-kind=standalone" : "-debug-info-kind=line-tables-only",
			"-dwarf-version=4",
			"-fdebug-compilation-dir=.",
		};
		arguments.insert(arguments.end(), std::begin(debug), std::end(debug));
	}
	/* The software device's checker sees addresses, but not whether an index has left an array inside a struct;
	 * Clang's sanitizer does.  An array [0] or [1] at the end of a struct may have more elements. */
	if (fe_options_checked())
		arguments.insert(arguments.end(),
				 {"-fsanitize=array-bounds", "-fsanitize-recover=array-bounds",
				  "-fsanitize-minimal-runtime", "-fstrict-flex-arrays=1"});
	for (size_t i = 0; i < words->count; i++)
		arguments.push_back(words->items[i]);
	for (size_t i = 0; i < options->clang.count; i++) {
		arguments.push_back(options->clang.items[i]);
		/* From version 20 on Clang accepts the option but ignores it. */
		if (!std::strcmp(options->clang.items[i], "-cl-finite-math-only"))
			arguments.insert(arguments.end(),
					 {"-menable-no-infs", "-menable-no-nans"});
	}
	keep_warnings(arguments);
	/* Programs expect, as on other platforms, that a header in the current folder is found without -I, after all
	 * other folders.  It is added only if the source includes something, so that other sources in the cache do
	 * not depend on folders. */
	if (source.contains("include"))
		arguments.insert(arguments.end(), {"-I", "."});
	return arguments;
}

/* Reads the command line; errors are written to the stream. */
bool read_arguments(clang::CompilerInvocation &invocation,
		    const std::vector<const char *> &arguments, llvm::raw_ostream &stream)
{
	fe_diagnostics diagnostics(stream);
	return clang::CompilerInvocation::CreateFromArgs(invocation, arguments,
							 diagnostics.engine);
}

std::unique_ptr<llvm::Module> run_clang(const fe_compile_job *job, size_t source_size_B,
					const std::vector<const char *> &arguments,
					unsigned standard, llvm::LLVMContext &context,
					log_stream &stream, enum fe_status *status)
{
	auto invocation = std::make_shared<clang::CompilerInvocation>();
	*status = FE_INVALID_OPTIONS;
	if (!read_arguments(*invocation, arguments, stream))
		return nullptr;
	auto source = llvm::MemoryBuffer::getMemBufferCopy(
		llvm::StringRef(job->source, source_size_B), source_name);
	clang::InputKind kind(clang::Language::OpenCL);
	invocation->getFrontendOpts().Inputs.clear();
	if (fe_options_checked()) {
		/* Clang's sanitizers need the name of the main file, and crash without one. */
		invocation->getPreprocessorOpts().addRemappedFile(source_name, source.get());
		invocation->getPreprocessorOpts().RetainRemappedFileBuffers = true;
		invocation->getFrontendOpts().Inputs.emplace_back(source_name, kind);
	} else {
		invocation->getFrontendOpts().Inputs.emplace_back(source->getMemBufferRef(), kind);
	}
	std::unique_ptr<clang::CompilerInstance> compiler = fe_compiler_create(invocation);
	compiler->setVerboseOutputStream(stream);
	fe_compiler_open(*compiler, make_file_system(job),
			 fe_hints_create(stream, compiler->getDiagnosticOpts(), standard, job->sm));
	emit_module action(context, job->inputs);
	*status = FE_COMPILE_FAILED;
	if (!compiler->ExecuteAction(action))
		return nullptr;
	return action.take_module();
}

/* Applications often include the closing NUL in the size, of which Clang would warn. */
size_t trimmed_size_B(const fe_compile_job *job)
{
	size_t size_B = job->source_size_B;
	while (size_B && !job->source[size_B - 1])
		size_B--;
	return size_B;
}

} // namespace

enum fe_status fe_clang_compile(const struct fe_compile_job *job, const struct fe_options *options,
				struct fe_module *module_out, struct bytes *log)
{
	size_t source_size_B = trimmed_size_B(job);
	/* Clang stores source positions in 31 bits, and ends the process when they do not fit. */
	if (source_size_B > INT_MAX / 2) {
		bytes_append_string(log, "error: the source is larger than 1 GiB\n");
		return FE_COMPILE_FAILED;
	}
	fe_words words = {};
	if (!fe_features_add_words(&words, options->standard, job->sm, LLVM_VERSION_MAJOR)) {
		fe_words_finish(&words);
		return FE_NO_MEMORY;
	}
	log_stream stream(log);
	enum fe_status status;
	LLVMContextRef context = fe_context_create(log);
	std::unique_ptr<llvm::Module> module =
		run_clang(job, source_size_B, make_arguments(options, &words, {job->source, source_size_B}),
			  options->standard, *llvm::unwrap(context), stream, &status);
	fe_words_finish(&words);
	if (!module) {
		LLVMContextDispose(context);
		return status;
	}
	if (llvm::Function *handler = module->getFunction("__ubsan_handle_out_of_bounds_minimal"))
		handler->setName(FE_INDEX_HANDLER);
	module_out->context = context;
	module_out->module = llvm::wrap(module.release());
	return FE_OK;
}

void fe_clang_version(struct bytes *text)
{
	bytes_append_string(text, clang::getClangFullVersion().c_str());
}
