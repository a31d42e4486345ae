#include "config.h"

#include "backend/ptx_compiler.h"

#include "build_name.h"

__attribute__((visibility("default"))) const struct be_ptx_compiler culvert_ptx_compiler = {
	.build_name = CULVERT_BUILD,
	.create = nvPTXCompilerCreate,
	.destroy = nvPTXCompilerDestroy,
	.compile = nvPTXCompilerCompile,
	.program_size = nvPTXCompilerGetCompiledProgramSize,
	.program = nvPTXCompilerGetCompiledProgram,
	.error_log_size = nvPTXCompilerGetErrorLogSize,
	.error_log = nvPTXCompilerGetErrorLog,
	.info_log_size = nvPTXCompilerGetInfoLogSize,
	.info_log = nvPTXCompilerGetInfoLog,
};
