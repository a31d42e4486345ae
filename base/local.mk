noinst_LIBRARIES += base/libbase.a
base_libbase_a_SOURCES = \
	base/build_id.c base/build_id.h \
	base/bytes.c base/bytes.h \
	base/cache_line.h \
	base/calls.def \
	base/cancel.h \
	base/checksum.c base/checksum.h \
	base/clock.c base/clock.h \
	base/codegen_choice.h \
	base/config.def base/extension_calls.def base/extensions.def \
	base/control_group.c base/control_group.h \
	base/hash.c base/hash.h \
	base/list.h \
	base/lock.c base/lock.h \
	base/log.c base/log.h \
	base/options.c base/options.h \
	base/memory_limit.c base/memory_limit.h \
	base/host_llvm.c base/host_llvm.h base/own_library.c base/own_library.h base/own_program.c base/own_program.h \
	base/own_process.c base/own_process.h \
	base/message.c base/message.h \
	base/opengl.c base/opengl.h base/opengl_fence.c base/opengl_fence.h \
	base/pack.c base/pack.h \
	base/packed.c base/packed.h \
	base/page.h \
	base/processors.c base/processors.h \
	base/shared_text.c base/shared_text.h \
	base/spans.c base/spans.h \
	base/spawn.c base/spawn.h \
	base/stage.c base/stage.h \
	base/thread.c base/thread.h \
	base/zeroed.h
base_libbase_a_CPPFLAGS = $(AM_CPPFLAGS) $(HASH_CPPFLAGS)
# BLAKE3, taken out of LLVM's archive (m4/check-storage.m4).
base_libbase_a_LIBADD = $(BLAKE3_OBJECTS)
base_libbase_a_DEPENDENCIES = $(BLAKE3_OBJECTS)
$(BLAKE3_OBJECTS): $(LLVM_SUPPORT_ARCHIVE)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cd $(@D) && $(AR) x $(LLVM_SUPPORT_ARCHIVE) $(@F) && touch $(@F)
CLEANFILES += $(BLAKE3_OBJECTS)
