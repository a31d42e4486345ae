/* Symbols in the form in which a programmer wrote them, for messages. */
#ifndef CULVERT_FRONTEND_DEMANGLE_H
#define CULVERT_FRONTEND_DEMANGLE_H

#include <string>

/* "_Z3dotDv4_fPU3AS1S_" -> "dot(float4, __global float4*)"; other symbols as the program has them. */
std::string fe_demangle(const std::string &symbol);

#endif
