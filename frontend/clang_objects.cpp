#include "config.h"

#include "frontend/clang_objects.h"

/* GCC warns of a null pointer in a member function of Clang, where an assertion excludes it. */
#pragma GCC diagnostic ignored "-Wnonnull"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>

namespace {

class visitor final : public clang::RecursiveASTVisitor<visitor> {
public:
	explicit visitor(clang::ASTContext &ast)
		: ast(ast),
		  message(ast.getDiagnostics().getCustomDiagID(
			  clang::DiagnosticsEngine::Error,
			  "%0 lives as long as the program and has a destructor, which nothing "
			  "would run"))
	{
	}

	bool shouldVisitTemplateInstantiations() const { return true; }

	bool VisitVarDecl(clang::VarDecl *variable)
	{
		clang::QualType type = variable->getType();
		/* C++ for OpenCL, 3.3.9: "Destructors of local address space objects are not
		 * invoked automatically." */
		if (variable->hasGlobalStorage() && !type->isDependentType() &&
		    type.getAddressSpace() != clang::LangAS::opencl_local &&
		    variable->needsDestruction(ast) == clang::QualType::DK_cxx_destructor)
			ast.getDiagnostics().Report(variable->getLocation(), message) << variable;
		return true;
	}

private:
	clang::ASTContext &ast;
	unsigned message;
};

/* Clang does not put the tables of virtual bases into an address space, and generates IR that LLVM rejects. */
void refuse_virtual_bases(const clang::CXXRecordDecl &type)
{
	if (type.isDependentContext() || !type.getNumVBases())
		return;
	clang::DiagnosticsEngine &diagnostics = type.getASTContext().getDiagnostics();
	diagnostics.Report(type.getLocation(),
			   diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
						       "%0 has virtual bases, which are not "
						       "supported"))
		<< &type;
}

class consumer final : public clang::ASTConsumer {
	void HandleTagDeclDefinition(clang::TagDecl *declared) override
	{
		if (const auto *type = llvm::dyn_cast<clang::CXXRecordDecl>(declared))
			refuse_virtual_bases(*type);
	}

	void HandleTranslationUnit(clang::ASTContext &ast) override
	{
		if (!ast.getDiagnostics().hasErrorOccurred())
			visitor(ast).TraverseDecl(ast.getTranslationUnitDecl());
	}
};

} // namespace

std::unique_ptr<clang::ASTConsumer> fe_objects_check()
{
	return std::make_unique<consumer>();
}
