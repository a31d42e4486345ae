# Programs, their modules, kernels and arguments.
icd_program_sources = \
	icd/program/complaint.c icd/program/complaint.h icd/program/exec_info.c icd/program/kernel.c \
	icd/program/kernel.h icd/program/kernel_argument_info.def icd/program/kernel_info.c \
	icd/program/kernel_info.def icd/program/kernel_info.h icd/program/kernel_sub_group_info.def \
	icd/program/kernel_work_group_info.def icd/program/module.c icd/program/module.h icd/program/module_load.c icd/program/module_load.h \
	icd/program/program.c icd/program/program.h icd/program/program_build.c \
	icd/program/program_build_info.def icd/program/program_il.c icd/program/program_info.c \
	icd/program/program_info.def icd/program/program_kernels.c icd/program/program_kernels.h
EXTRA_DIST += icd/program/README.md
