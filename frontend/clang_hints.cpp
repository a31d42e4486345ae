#include "config.h"

#include "frontend/clang_compat.h"
#include "frontend/clang_hints.h"
#include "frontend/features.h"
#include "frontend/module.h"

#include <set>
#include <string>

#include <clang/AST/DeclarationName.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/IdentifierTable.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/SmallString.h>

namespace {

constexpr struct {
	const char *name, *hint;
} no_such[] = {
	{"queue_t", "this device has no device-side enqueue"},
	{"ndrange_t", "this device has no device-side enqueue"},
	{"clk_event_t", "this device has no device-side enqueue"},
	{"get_default_queue", "this device has no device-side enqueue"},
	{"enqueue_kernel", "this device has no device-side enqueue"},
	/* For these words Clang only says that the type is unknown. */
	{"template", "this is C++ for OpenCL: -cl-std=CLC++2021"},
	{"class", "this is C++ for OpenCL: -cl-std=CLC++2021"},
	{"namespace", "this is C++ for OpenCL: -cl-std=CLC++2021"},
	{"using", "this is C++ for OpenCL: -cl-std=CLC++2021"},
	{"constexpr", "this is C++ for OpenCL: -cl-std=CLC++2021"},
	{"malloc", "OpenCL C has no C library; memory comes from the host"},
	{"free", "OpenCL C has no C library; memory comes from the host"},
	{"memcpy", "OpenCL C has no C library; assignments copy structs and vectors"},
	{"memset", "OpenCL C has no C library; initialisers and loops fill arrays"},
	{"rand", "OpenCL C has no C library, and no random numbers"},
	{"assert", "OpenCL C has no C library; printf is there"},
};

/* The name to which a message refers; "" if there is none. */
std::string subject(const clang::Diagnostic &message)
{
	if (!message.getNumArgs())
		return "";
	switch (message.getArgKind(0)) {
	case clang::DiagnosticsEngine::ak_identifierinfo:
		return message.getArgIdentifier(0) ? message.getArgIdentifier(0)->getName().str()
						   : "";
	case clang::DiagnosticsEngine::ak_declarationname:
		return clang::DeclarationName::getFromOpaqueInteger(message.getRawArg(0))
			.getAsString();
	default:
		return "";
	}
}

/* How the names of types and constants of OpenCL C 2.0's atomics begin. */
constexpr const char *words_of_atomics[] = {
	"atomic_double", "atomic_flag", "atomic_float", "atomic_int", "atomic_long",
	"atomic_ptrdiff_t", "atomic_size_t", "atomic_uint", "atomic_ulong",
	"memory_order", "memory_scope",
};

bool is_word_of_atomics(const std::string &name)
{
	for (const char *start : words_of_atomics)
		if (!name.compare(0, std::char_traits<char>::length(start), start))
			return true;
	return false;
}

bool is_builtin(const std::string &name)
{
	return fe_builtin_exists(name.c_str());
}

std::string undeclared(const std::string &name, unsigned standard)
{
	for (const auto &row : no_such)
		if (name == row.name)
			return row.hint;
	if (!name.compare(0, 16, "intel_sub_group_") && is_builtin(name))
		return "'" + name + "' needs the build option -D cl_intel_subgroups, and for other types than 32 bits "
			"-D cl_intel_subgroups_char, _short or _long";
	/* The built-in library has the functions of all versions of OpenCL C. */
	if (standard < 200 && (is_builtin(name) || is_word_of_atomics(name)))
		return "'" + name + "' needs a newer OpenCL C: -cl-std=CL3.0";
	std::string stem = name.substr(0, name.empty() ? 0 : name.size() - 1);
	if (!name.empty() && name.back() == 'f' && is_builtin(stem))
		return "OpenCL C's functions have one name for all types: '" + stem + "'";
	return "";
}

bool is_about_half(const clang::Diagnostic &message)
{
	llvm::SmallString<128> text;
	message.FormatDiagnostic(text);
	return text.str().contains("half");
}

class hint_printer final : public clang::TextDiagnosticPrinter {
public:
	hint_printer(llvm::raw_ostream &stream, clang::DiagnosticOptions &options,
		     unsigned standard, unsigned sm)
		: clang::TextDiagnosticPrinter(stream, fe_printer_options(options)), stream(stream),
		  standard(standard), sm(sm)
	{
	}

private:
	/* Clang warns of each extension for which it has no code itself.  Such a message is made a remark first; for
	 * an extension that Culvert does not know, it becomes a warning again, or an error with -Werror. */
	void BeginSourceFile(const clang::LangOptions &language,
			     const clang::Preprocessor *preprocessor) override
	{
		clang::TextDiagnosticPrinter::BeginSourceFile(language, preprocessor);
		clang::DiagnosticsEngine &engine = preprocessor->getDiagnostics();
		for (unsigned kind : pragma_kinds) {
			pragma_level = engine.getDiagnosticLevel(kind, clang::SourceLocation());
			engine.setSeverity(kind, clang::diag::Severity::Remark,
					   clang::SourceLocation());
		}
	}

	static bool is_about_pragma(const clang::Diagnostic &message)
	{
		for (unsigned kind : pragma_kinds)
			if (message.getID() == kind)
				return true;
		return false;
	}

	void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
			      const clang::Diagnostic &message) override
	{
		if (is_about_pragma(message)) {
			if (fe_extension_works(subject(message).c_str(), standard, sm) ||
			    pragma_level == clang::DiagnosticsEngine::Ignored)
				return;
			level = pragma_level;
		}
		clang::TextDiagnosticPrinter::HandleDiagnostic(level, message);
		std::string text = hint(message);
		/* Each hint is given once. */
		if (!text.empty() && said.insert(text).second)
			stream << "note: " << text << '\n';
	}

	std::string hint(const clang::Diagnostic &message)
	{
		switch (message.getID()) {
		case clang::diag::err_undeclared_var_use:
		case clang::diag::err_undeclared_var_use_suggest:
		case clang::diag::err_undeclared_use:
		case clang::diag::err_undeclared_use_suggest:
		case clang::diag::err_unknown_typename:
		case clang::diag::err_unknown_typename_suggest:
			return undeclared(subject(message), standard);
		case clang::diag::err_ovl_ambiguous_call:
			return ambiguous(subject(message));
		case clang::diag::err_opencl_half_declaration:
		case clang::diag::err_opencl_half_load_store:
		case clang::diag::err_opencl_invalid_param:
		case clang::diag::err_opencl_invalid_return:
			return is_about_half(message) ? "half is a type to compute with after "
							"'#pragma OPENCL EXTENSION cl_khr_fp16 : enable'"
						      : "";
		default:
			return "";
		}
	}

	/* Clang does not list the candidates for calls of built-in functions. */
	static std::string ambiguous(const std::string &name)
	{
		return is_builtin(name) ? "no version of '" + name + "' takes exactly these types, and "
					  "several would after a conversion; cast the arguments to "
					  "the type that is meant"
					: "";
	}

	static constexpr unsigned pragma_kinds[] = {clang::diag::warn_pragma_unknown_extension,
						    clang::diag::warn_pragma_unsupported_extension};

	llvm::raw_ostream &stream;
	unsigned standard, sm;
	clang::DiagnosticsEngine::Level pragma_level = clang::DiagnosticsEngine::Warning;
	std::set<std::string> said;
};

} // namespace

clang::DiagnosticConsumer *fe_hints_create(llvm::raw_ostream &stream,
					   clang::DiagnosticOptions &options, unsigned standard, unsigned sm)
{
	return new hint_printer(stream, options, standard, sm);
}
