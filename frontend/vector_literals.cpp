#include "config.h"

#include "frontend/vector_literals.h"

/* GCC warns of a null pointer in a member function of Clang, where an assertion excludes it. */
#pragma GCC diagnostic ignored "-Wnonnull"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclGroup.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace {

class visitor final : public clang::RecursiveASTVisitor<visitor> {
public:
	explicit visitor(clang::ASTContext &ast) : ast(ast) {}

	bool shouldVisitTemplateInstantiations() const { return true; }
	bool shouldVisitImplicitCode() const { return true; }

	bool VisitInitListExpr(clang::InitListExpr *list)
	{
		if (list->getType().isNull() || !list->getType()->isExtVectorType())
			return true;
		for (unsigned i = 0; i < list->getNumInits(); i++) {
			clang::Expr *part = list->getInit(i);
			if (part && llvm::isa<clang::ExtVectorElementExpr>(part))
				list->setInit(i, new (ast) clang::ParenExpr(part->getBeginLoc(),
									    part->getEndLoc(), part));
		}
		return true;
	}

private:
	clang::ASTContext &ast;
};

class consumer final : public clang::ASTConsumer {
	void Initialize(clang::ASTContext &context) override { ast = &context; }

	bool HandleTopLevelDecl(clang::DeclGroupRef group) override
	{
		for (clang::Decl *declared : group)
			visitor(*ast).TraverseDecl(declared);
		return true;
	}

	/* A member function, whose class is passed on with it. */
	void HandleInlineFunctionDefinition(clang::FunctionDecl *function) override
	{
		visitor(*ast).TraverseDecl(function);
	}

	clang::ASTContext *ast = nullptr;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> fe_vector_literals_rewrite()
{
	return std::make_unique<consumer>();
}
