# The front desk.  Objects and their rules; what commands do is listed apart.
noinst_LIBRARIES += icd/libicd.a
icd_libicd_a_SOURCES = $(icd_object_sources) $(icd_command_sources)

icd_object_sources = \
	icd/icd.c icd/icd.h icd/entrypoints.def icd/loader.c icd/loader.h icd/doors.c icd/doors.h \
	icd/object.c icd/object.h \
	icd/ranges.c icd/ranges.h icd/extension_calls.def \
	icd/info.c icd/info.h icd/info_rows.h \
	icd/properties.c icd/properties.h \
	icd/platform.c icd/platform.h icd/platform_info.def \
	icd/extension.c icd/extension.h \
	icd/device.c icd/device.h \
	icd/device_info.c icd/device_info.h icd/device_info.def \
	icd/context.c icd/context.h icd/context_info.def \
	icd/sampler.c icd/sampler.h icd/sampler_info.def icd/api_sampler.c \
	icd/program.c icd/program.h icd/program_code.c icd/program_il.c \
	icd/program_kernels.c icd/program_kernels.h \
	icd/program_info.c icd/program_info.def icd/program_build_info.def \
	icd/program_binary.c icd/program_binary.h \
	icd/build.c icd/build.h \
	icd/build_cache.c icd/build_cache.h icd/build_key.c icd/choices.c icd/choices.h \
	icd/compile.c icd/compile.h \
	icd/compile_process.c icd/compile_process.h \
	icd/compile_wire.c icd/compile_wire.h \
	icd/spawn.c icd/spawn.h \
	icd/build_dump.c icd/build_dump.h \
	icd/module.c icd/module.h \
	icd/program_build.c icd/builders.c icd/builders.h \
	icd/kernel.c icd/kernel.h icd/exec_info.c \
	icd/kernel_info.c icd/kernel_info.h icd/kernel_info.def \
	icd/kernel_argument_info.def icd/kernel_work_group_info.def \
	icd/kernel_sub_group_info.def \
	icd/api_platform.c icd/api_device.c icd/api_context.c \
	icd/api_program.c icd/api_kernel.c icd/api_unsupported.c

# What programs include for our own extensions.
clincludedir = $(includedir)/CL
clinclude_HEADERS = icd/cl_culvert.h
# Written by the installation, which may be told another prefix than configure was.
pkgconfigdir = $(datadir)/pkgconfig
install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(pkgconfigdir)'
	sed -e 's|@prefix[@]|$(prefix)|; s|@includedir[@]|$(includedir)|; s|@sysconfdir[@]|$(sysconfdir)|' \
		-e 's|=$(prefix)/|=$${prefix}/|; s|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|' \
		$(srcdir)/icd/culvert.pc.in >'$(DESTDIR)$(pkgconfigdir)/culvert.pc'
uninstall-local:
	rm -f '$(DESTDIR)$(pkgconfigdir)/culvert.pc'
EXTRA_DIST += icd/culvert.pc.in

icd_command_sources = \
	icd/users.c icd/users.h \
	icd/host_writes.c icd/host_writes.h \
	icd/segment.c icd/segment.h \
	icd/residency.c icd/residency.h icd/residency_afar.c icd/residency_shadow.c \
	icd/residency_shared.c \
	icd/mem.c icd/mem.h icd/mem_spare.c icd/mem_info.def icd/mem_flags.c icd/mem_flags.h \
	icd/mem_properties.c icd/mem_properties.h icd/khr_external_memory.h icd/api_external.c \
	icd/svm.c icd/svm_table.c icd/svm.h icd/address.c icd/address.h \
	icd/image.c icd/image.h icd/image_bind.c icd/image_info.def \
	icd/image_check.c icd/image_check.h icd/image_import.c icd/image_import.h \
	icd/image_format.c icd/image_format.h \
	icd/complete.c icd/complete.h \
	icd/event.c icd/event.h icd/event_pool.c icd/event_pool.h icd/event_info.def \
	icd/command.c icd/command.h icd/command_sync.c icd/command_sync.h icd/command_transfer.c \
	icd/command_image.c \
	icd/launch.c icd/launch.h icd/launch_repeat.c icd/launch_repeat.h icd/launch_size.c icd/launch_size.h \
	icd/native.c icd/native.h \
	icd/printf.c icd/printf.h \
	icd/printf_format.c icd/printf_format.h \
	icd/line.c icd/line.h \
	icd/lanes.c icd/lanes.h \
	icd/work.c icd/work.h \
	icd/queue.c icd/queue.h icd/queue_info.def \
	icd/submit.c icd/submit.h \
	icd/stamps.c icd/stamps.h \
	icd/enqueue.c icd/enqueue.h \
	icd/semaphore.c icd/semaphore.h icd/khr_semaphore.h icd/semaphore_info.def \
	icd/semaphore_shared.c icd/semaphore_shared.h \
	icd/semaphore_foreign.c icd/semaphore_foreign.h icd/api_semaphore.c \
	icd/complaint.c icd/complaint.h icd/launch_complaint.c icd/launch_complaint.h \
	icd/command_buffer.c icd/command_buffer.h icd/khr_command_buffer.h \
	icd/drawing.c icd/drawing.h \
	icd/command_buffer_info.def icd/mutable_command_info.def \
	icd/mutable_command.c icd/mutable_command.h \
	icd/api_image_requirements.c icd/image_requirements_info.def \
	icd/api_image.c icd/api_enqueue_image.c icd/api_enqueue_image_copy.c \
	icd/nv_create_buffer.h icd/api_pipe.c icd/pipe_info.def icd/api_mem.c icd/api_queue.c icd/api_event.c \
	icd/api_enqueue_buffer.c icd/api_enqueue_rect.c icd/api_enqueue_map.c \
	icd/api_enqueue_kernel.c icd/api_enqueue_sync.c \
	icd/api_command_buffer.c icd/api_record.c icd/api_record_image.c icd/record.h \
	icd/api_mutable.c icd/api_cuda.c icd/cuda_interop.h \
	icd/svm_command.c icd/svm_command.h icd/api_svm.c icd/api_usm.c

# The compiler's process, which has no need of the rest of the front desk.
soft_PROGRAMS += culvert-compile
culvert_compile_SOURCES = icd/compile_main.c icd/compile_confine.c icd/compile_confine.h
nodist_EXTRA_culvert_compile_SOURCES = force-cxx-link.cxx
culvert_compile_CFLAGS = $(AM_CFLAGS) $(PARSER_CFLAGS)
culvert_compile_LDFLAGS = $(AM_LDFLAGS) -Wl,--gc-sections
culvert_compile_LDADD = icd/libicd.a $(compiler_archive) backend/libbackend.a base/libbase.a \
	$(compiler_libs) $(STORAGE_LIBS) -lpthread -ldl -lm
if STATIC_LLVM
compiler_archive = frontend/libfrontend.a
compiler_libs = $(LLVM_LIBS)
else
compiler_archive = frontend/libdoor.a
endif
