/* Differences between versions 15 to 22 of Clang, each in one place: names and owners that have changed.  C++, for
 * the files that use Clang.
 *
 * Thread-safety: as Clang's. */
#ifndef CULVERT_FRONTEND_CLANG_COMPAT_H
#define CULVERT_FRONTEND_CLANG_COMPAT_H

#include <memory>
#include <utility>

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

/* Returns options in the form in which a printer takes them: a reference from version 21 on, a counted
 * pointer before. */
#if LLVM_VERSION_MAJOR >= 21
inline clang::DiagnosticOptions &fe_printer_options(clang::DiagnosticOptions &options)
{
	return options;
}
#else
inline clang::DiagnosticOptions *fe_printer_options(clang::DiagnosticOptions &options)
{
	return &options;
}
#endif

/* Diagnostics for use before there is a compiler. The stream must outlive them. */
class fe_diagnostics {
#if LLVM_VERSION_MAJOR >= 21
	clang::DiagnosticOptions options;
#else
	llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> counted{new clang::DiagnosticOptions};
	clang::DiagnosticOptions &options = *counted;
#endif

public:
	clang::DiagnosticsEngine engine;

	explicit fe_diagnostics(llvm::raw_ostream &stream)
		: engine(llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs>(new clang::DiagnosticIDs),
			 fe_printer_options(options),
			 new clang::TextDiagnosticPrinter(stream, fe_printer_options(options)))
	{
	}
};

inline std::unique_ptr<clang::CompilerInstance>
fe_compiler_create(std::shared_ptr<clang::CompilerInvocation> invocation)
{
#if LLVM_VERSION_MAJOR >= 21
	return std::make_unique<clang::CompilerInstance>(std::move(invocation));
#else
	auto compiler = std::make_unique<clang::CompilerInstance>();
	compiler->setInvocation(std::move(invocation));
	return compiler;
#endif
}

/* Gives the compiler its files and its printer, which the compiler owns from then on. */
inline void fe_compiler_open(clang::CompilerInstance &compiler,
			     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
			     clang::DiagnosticConsumer *printer)
{
#if LLVM_VERSION_MAJOR >= 22
	compiler.setVirtualFileSystem(std::move(files));
	compiler.createDiagnostics(printer);
	compiler.createFileManager();
#elif LLVM_VERSION_MAJOR >= 20
	compiler.createDiagnostics(*files, printer);
	compiler.createFileManager(std::move(files));
#else
	compiler.createDiagnostics(printer);
	compiler.createFileManager(std::move(files));
#endif
}

#endif
