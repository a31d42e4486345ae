/* Vector literals that Clang compiles wrongly are written in another way. */
#ifndef CULVERT_FRONTEND_VECTOR_LITERALS_H
#define CULVERT_FRONTEND_VECTOR_LITERALS_H

#include <memory>

#include <clang/AST/ASTConsumer.h>

/* Returns a consumer that changes each declaration before the consumers behind it see it.  In a vector literal such as
 * (int4)((int2)(1), f(x).odd), it puts components of a value into parentheses. Without these, Clang 15 to 22 combines
 * two shuffles and assumes that what comes first is a shuffle, which a constant is not: it crashes or does not end. */
std::unique_ptr<clang::ASTConsumer> fe_vector_literals_rewrite();

#endif
