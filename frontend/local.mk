# OpenCL C -> NVVM IR and launch facts.  The only room that knows LLVM.

# What libculvert.so needs of it in any case: no LLVM here.
frontend_plain_sources = \
	frontend/features.c frontend/features.def frontend/features.h \
	frontend/frontend.h \
	frontend/inputs.c frontend/inputs.h \
	frontend/kernel_abi.c frontend/kernel_abi.h \
	frontend/options.c frontend/options.h \
	frontend/print_conversion.c frontend/print_conversion.h \
	frontend/program.c \
	frontend/ptx_facts.c frontend/ptx_facts.h \
	frontend/ptx_start.c frontend/ptx_start.h \
	frontend/spirv.h \
	frontend/spirv/module.c frontend/spirv/module.h \
	frontend/symbol.c frontend/symbol.h
frontend_sources = $(frontend_plain_sources) \
	frontend/codegen.c \
	frontend/converged_calls.c \
	frontend/dot_products.c \
	frontend/embedded.h \
	frontend/frontend.c \
	frontend/kernel_access.c \
	frontend/kernel_calls.c \
	frontend/kernel_facts.c frontend/kernel_facts.h \
	frontend/kernel_groups.c \
	frontend/kernel_image.c \
	frontend/local_pointers.c frontend/local_pointers.h frontend/loop_facts.h \
	frontend/lower.c frontend/lower.h \
	frontend/lower_comparison.c \
	frontend/lower_element.c \
	frontend/lower_bits.c \
	frontend/lower_check.c \
	frontend/lower_component.c \
	frontend/lower_component.h \
	frontend/lower_component_il.c \
	frontend/lower_cycle.c \
	frontend/lower_warp_exchange.c \
	frontend/element_address.c frontend/element_address.h \
	frontend/lower_device.c \
	frontend/lower_division.c \
	frontend/lower_flushed.c \
	frontend/lower_function.c \
	frontend/lower_generic.c \
	frontend/lower_half.c frontend/lower_half_bits.c frontend/lower_half_call.c \
	frontend/lower_hidden.c \
	frontend/lower_image.c \
	frontend/lower_instruction.c \
	frontend/lower_intrinsic.c \
	frontend/lower_intrinsic_math.c \
	frontend/lower_kernel.c \
	frontend/lower_lifetime.c \
	frontend/lower_local.c frontend/lower_local_call.c \
	frontend/lower_local_index.c frontend/lower_local_stores.c \
	frontend/lower_merge.c \
	frontend/lower_nan.c \
	frontend/lower_narrow.c \
	frontend/lower_packed.c \
	frontend/lower_passed_union.c \
	frontend/lower_passing.c \
	frontend/lower_printf.c \
	frontend/lower_private.c \
	frontend/lower_product.c \
	frontend/lower_relaxed.c \
	frontend/lower_union.c \
	frontend/lower_variable.c \
	frontend/lower_vector_load.c \
	frontend/lower_work_item.c \
	frontend/module.h \
	frontend/nvvm_ir.c frontend/nvvm_ir.h \
	frontend/nvvm_ir_attribute.c \
	frontend/nvvm_ir_call.c \
	frontend/nvvm_ir_constant.c \
	frontend/nvvm_ir_instruction.c \
	frontend/nvvm_ir_layout.c \
	frontend/nvvm_ir_metadata.c \
	frontend/nvvm_ir_name.c \
	frontend/nvvm_ir_text.c \
	frontend/nvvm_ir_type.c \
	frontend/set.c frontend/set.h \
	frontend/spirv/arithmetic.c \
	frontend/spirv/composite.c \
	frontend/spirv/flow.c frontend/spirv/flow.h \
	frontend/spirv/function.c frontend/spirv/function.h \
	frontend/spirv/global.c frontend/spirv/global.h \
	frontend/spirv/group.c \
	frontend/spirv/matrix.c frontend/spirv/matrix.h \
	frontend/spirv/matrix_memory.c \
	frontend/spirv/memory.c frontend/spirv/memory.h \
	frontend/spirv/metadata.c frontend/spirv/metadata.h \
	frontend/spirv/object.c frontend/spirv/object.h \
	frontend/spirv/opencl_std.c frontend/spirv/opencl_std.h \
	frontend/spirv/printf.c frontend/spirv/printf.h \
	frontend/spirv/reader.c frontend/spirv/reader.h \
	frontend/spirv/type.c frontend/spirv/type.h \
	frontend/spirv/value.c frontend/spirv/value.h
frontend_cxx_sources = \
	frontend/assigned_values.cpp frontend/assigned_values.h \
	frontend/bitcode.cpp \
	frontend/bounded_indices.cpp frontend/bounded_indices.h \
	frontend/clang.cpp \
	frontend/clang_compat.h frontend/clang_hints.cpp frontend/clang_hints.h \
	frontend/clang_objects.cpp frontend/clang_objects.h \
	frontend/constructors.cpp frontend/constructors.h \
	frontend/counted_loops.cpp frontend/counted_loops.h \
	frontend/demangle.cpp frontend/demangle.h \
	frontend/evaluator.cpp frontend/evaluator.h \
	frontend/inlined_calls.cpp frontend/invariant_addresses.cpp frontend/invariant_calls.cpp \
	frontend/kernel_bodies.cpp frontend/kernel_bodies.h \
	frontend/library.cpp \
	frontend/llvm_compat.cpp frontend/llvm_compat.h \
	frontend/constant_expressions.cpp \
	frontend/private_values.cpp \
	frontend/rolled_loops.cpp \
	frontend/chosen_loads.cpp \
	frontend/joined_conditions.cpp frontend/joined_counters.cpp frontend/typed_parameters.cpp \
	frontend/reach.h \
	frontend/vector_literals.cpp frontend/vector_literals.h \
	frontend/nvvm_ir_debug.cpp frontend/nvvm_ir_debug.h \
	frontend/split.cpp frontend/split_arrays.cpp \
	frontend/static_objects.cpp frontend/static_objects.h \
	frontend/sub_group_names.h frontend/sub_group_sizes.cpp \
	frontend/unrolled_loops.cpp frontend/unrolled_loops.h

# Names of SPIR-V's numbers, from the enumerations of its headers (spirv/module.c).
BUILT_SOURCES += frontend/spirv/names.def
CLEANFILES += frontend/spirv/names.def
EXTRA_DIST += frontend/spirv/README.md frontend/spirv/names.awk
frontend/spirv/names.def: $(srcdir)/frontend/spirv/names.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	printf '#include <spirv/unified1/spirv.h>\n#include <spirv/unified1/OpenCL.std.h>\n' | \
		$(CC) $(CPPFLAGS) -E -P -x c - | awk -f $(srcdir)/frontend/spirv/names.awk | \
		sort -k1,1n -k2,2n | cut -d' ' -f3- >$@.new && test -s $@.new && mv $@.new $@
# Where a program is asked for by its name.
frontend/spirv/libdoor_a-module.$(OBJEXT) frontend/spirv/libfrontend_a-module.$(OBJEXT): frontend/spirv/names.def

noinst_LIBRARIES += frontend/libfrontend.a frontend/libguard.a
frontend_libfrontend_a_SOURCES = $(frontend_sources) $(frontend_cxx_sources) frontend/embedded.S
frontend_libfrontend_a_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
frontend_libfrontend_a_CFLAGS = $(AM_CFLAGS) $(PARSER_CFLAGS)
# When memory runs out an exception crosses LLVM, which was built to be crossed
# without cleaning up.  Our frames in between must not clean up either: the objects
# they own are half-way through something.  Only the thread's first frame catches.
frontend_libfrontend_a_CXXFLAGS = $(AM_CXXFLAGS) $(PARSER_CFLAGS) -fno-exceptions -funwind-tables
frontend_libguard_a_SOURCES = frontend/compiler_thread.cpp frontend/compiler_thread.h
frontend_libguard_a_CPPFLAGS = $(frontend_libfrontend_a_CPPFLAGS)
frontend_libguard_a_CXXFLAGS = $(AM_CXXFLAGS) -fexceptions
frontend_libfrontend_a_LIBADD = $(frontend_libguard_a_OBJECTS)
frontend_libfrontend_a_DEPENDENCIES = $(frontend_libguard_a_OBJECTS)

# The compiler as a file of its own, loaded at the first build (see compiler.h); with
# --enable-static-llvm everything is in libculvert.so.
if !STATIC_LLVM
noinst_LIBRARIES += frontend/libdoor.a
frontend_libdoor_a_CPPFLAGS = $(AM_CPPFLAGS) -DCULVERT_LLVM_FILES='$(LLVM_FILES)'
frontend_libdoor_a_SOURCES = $(frontend_plain_sources) frontend/door.c frontend/compiler.h
soft_PROGRAMS += libculvert-frontend.so
libculvert_frontend_so_SOURCES = frontend/table.c frontend/compiler.h
nodist_EXTRA_libculvert_frontend_so_SOURCES = force-cxx-link.cxx
libculvert_frontend_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-soname,libculvert-frontend.so \
	-Wl,-Bsymbolic -Wl,--version-script=$(top_srcdir)/frontend/frontend.map -Wl,--build-id \
	-Wl,--gc-sections -Wl,-z,nodelete $(no_undefined)
libculvert_frontend_so_LDADD = frontend/libfrontend.a base/libbase.a $(HASH_LIBS) $(COMPILER_LIBS)
EXTRA_libculvert_frontend_so_DEPENDENCIES = frontend/frontend.map
endif
EXTRA_DIST += frontend/frontend.map frontend/table.c frontend/door.c
# The assembler looks for what it takes in here, in the build tree.
frontend_libfrontend_a_CCASFLAGS = $(AM_CCASFLAGS) -Wa,-Ifrontend/embedded

# -- the builtin library, compiled once for all GPUs ------------------------------------
builtin_bitcode = $(builtin_sources:.cl=.bc) $(narrow_sources:.cl=.w8) $(narrow_sources:.cl=.w16)
EXTRA_DIST += $(builtin_sources) $(builtin_headers)
CLEANFILES += $(builtin_bitcode)

SUFFIXES = .cl .bc .w8 .w16
.cl.bc:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(CLANG) $(builtin_cflags) -I$(srcdir) -c -o $@ $<
# For sub-groups of 8 and 16 work-items.  pack-builtins gives the functions other names.
.cl.w8:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(CLANG) $(builtin_cflags) -DCULVERT_SUB_GROUP_SIZE=8u -I$(srcdir) -c -o $@ $<
.cl.w16:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(CLANG) $(builtin_cflags) -DCULVERT_SUB_GROUP_SIZE=16u -I$(srcdir) -c -o $@ $<
$(builtin_bitcode): $(builtin_headers)

noinst_PROGRAMS += frontend/pack-builtins
frontend_pack_builtins_SOURCES = frontend/pack_builtins.cpp frontend/sub_group_names.h
frontend_pack_builtins_CPPFLAGS = $(AM_CPPFLAGS) $(LLVM_CPPFLAGS)
frontend_pack_builtins_LDADD = $(LLVM_LIBS)

# -- what embedded.S takes in -------------------------------------------------------------
frontend_embedded = frontend/embedded/builtins.blob frontend/embedded/builtins.index \
	frontend/embedded/libdevice.10.bc frontend/embedded/opencl-c-base.h
CLEANFILES += $(frontend_embedded)

# The list of files counts as well: a file that goes leaves no newer one behind.
frontend/embedded/builtins.index: $(builtin_bitcode) frontend/pack-builtins$(EXEEXT) $(LIBDEVICE) \
		$(srcdir)/frontend/builtins/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && frontend/pack-builtins$(EXEEXT) \
		frontend/embedded/builtins.blob $@ $(LIBDEVICE) $(builtin_bitcode)
# One run makes both; where only this one was lost, that run is made again.
frontend/embedded/builtins.blob: frontend/embedded/builtins.index
	@test -f $@ || { rm -f $< && $(MAKE) $(AM_MAKEFLAGS) $<; }
frontend/embedded/libdevice.10.bc: $(LIBDEVICE)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $(LIBDEVICE) $@ && chmod u+w $@
frontend/embedded/opencl-c-base.h: $(CLANG_RESOURCE_DIR)/include/opencl-c-base.h \
		$(srcdir)/frontend/builtins/declarations.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && rm -f $@ && \
		cat $(CLANG_RESOURCE_DIR)/include/opencl-c-base.h \
			$(srcdir)/frontend/builtins/declarations.h > $@
frontend/libfrontend_a-embedded.$(OBJEXT): $(frontend_embedded)
