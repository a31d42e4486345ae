/* The form in which a programmer wrote a symbol, for messages. */
#ifndef CULVERT_FRONTEND_DEMANGLE_H
#define CULVERT_FRONTEND_DEMANGLE_H

#include <string>

/* Converts "_Z3dotDv4_fPU3AS1S_" to "dot(float4, __global float4*)"; other symbols are returned unchanged. */
std::string fe_demangle(const std::string &symbol);

#endif
