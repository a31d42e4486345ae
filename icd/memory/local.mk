# Contexts, memory objects, and where the newest bytes are.
icd_memory_sources = \
	icd/memory/address.c icd/memory/address.h icd/memory/context.c icd/memory/context.h \
	icd/memory/context_info.def icd/memory/egl_object.c icd/memory/egl_object.h icd/memory/gl_context.c icd/memory/gl_context.h \
	icd/memory/gl_object.c icd/memory/gl_object.h icd/memory/host_writes.c icd/memory/host_writes.h \
	icd/memory/image.c icd/memory/image.h icd/memory/image_bind.c icd/memory/image_box.c icd/memory/image_check.c \
	icd/memory/image_check.h icd/memory/image_format.c icd/memory/image_format.h \
	icd/memory/image_import.c icd/memory/image_import.h icd/memory/image_info.def \
	icd/memory/image_mirror.c icd/memory/image_mirror.h \
	icd/memory/image_requirements_info.def icd/memory/mem.c icd/memory/mem.h icd/memory/mem_flags.c \
	icd/memory/mem_flags.h icd/memory/mem_info.def icd/memory/mem_properties.c \
	icd/memory/mem_properties.h icd/memory/mem_spare.c icd/memory/pipe_info.def \
	icd/memory/residency.c icd/memory/residency.h icd/memory/residency_afar.c \
	icd/memory/residency_shadow.c icd/memory/residency_shared.c icd/memory/residency_version.c icd/memory/sampler.c \
	icd/memory/sampler.h icd/memory/sampler_info.def icd/memory/segment.c icd/memory/segment.h \
	icd/memory/svm.c icd/memory/svm.h icd/memory/svm_table.c icd/memory/stream_set.c icd/memory/stream_set.h
EXTRA_DIST += icd/memory/README.md
