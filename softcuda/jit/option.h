/* LLVM's command-line options, for which LLVM's C interface has LLVMParseCommandLineOptions: that sets an option only
 * once in a process. */
#ifndef CULVERT_SOFTCUDA_JIT_OPTION_H
#define CULVERT_SOFTCUDA_JIT_OPTION_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sets an option of LLVM's for all code that is made from now on in this process, whatever it was before.  value: as on
 * a command line.  Does nothing if this version of LLVM does not know the option.  Not thread-safe: no other thread
 * may use LLVM at that time. */
void option_set(const char *name, const char *value);

#ifdef __cplusplus
}
#endif

#endif
