# Programs that go through the loader, as every application does.
if HAVE_OPENCL_LOADER
api_tests = $(api_object_tests) $(api_command_tests)
check_PROGRAMS += $(api_tests)
TESTS += $(api_tests)
endif

# Each is one file of its own name and api_test.h.
api_object_tests = tests/api/platform tests/api/device tests/api/context tests/api/program \
	tests/api/program_link tests/api/program_binary tests/api/program_ptx tests/api/kernel \
	tests/api/sub_groups tests/api/grid_barrier tests/api/pipes tests/api/images tests/api/samplers \
	tests/api/null_arguments tests/api/no_handles tests/api/unsupported tests/api/dispatch tests/api/il tests/api/il_names \
	tests/api/float_options tests/api/cxx tests/api/collisions
tests_api_collisions_SOURCES = tests/api/collisions.c tests/api/api_test.h
tests_api_collisions_LDADD = $(OPENCL_LIBS)
tests_api_cxx_SOURCES = tests/api/cxx.c tests/api/api_test.h
tests_api_cxx_LDADD = $(OPENCL_LIBS)
tests_api_platform_SOURCES = tests/api/platform.c tests/api/api_test.h
tests_api_platform_LDADD = $(OPENCL_LIBS)
tests_api_device_SOURCES = tests/api/device.c tests/api/api_test.h
tests_api_device_LDADD = $(OPENCL_LIBS)
tests_api_context_SOURCES = tests/api/context.c tests/api/api_test.h
tests_api_context_LDADD = $(OPENCL_LIBS)
tests_api_program_SOURCES = tests/api/program.c tests/api/api_test.h
tests_api_program_LDADD = $(OPENCL_LIBS) -lpthread
tests_api_program_link_SOURCES = tests/api/program_link.c tests/api/api_test.h
tests_api_program_link_LDADD = $(OPENCL_LIBS)
tests_api_program_binary_SOURCES = tests/api/program_binary.c tests/api/api_test.h
tests_api_program_binary_LDADD = $(OPENCL_LIBS)
tests_api_program_ptx_SOURCES = tests/api/program_ptx.c tests/api/api_test.h
tests_api_program_ptx_LDADD = $(OPENCL_LIBS)
tests_api_kernel_SOURCES = tests/api/kernel.c tests/api/api_test.h
tests_api_kernel_LDADD = $(OPENCL_LIBS)
tests_api_sub_groups_SOURCES = tests/api/sub_groups.c tests/api/api_test.h
tests_api_sub_groups_LDADD = $(OPENCL_LIBS)
tests_api_images_SOURCES = tests/api/images.c tests/api/api_test.h
tests_api_images_LDADD = $(OPENCL_LIBS)
tests_api_samplers_SOURCES = tests/api/samplers.c tests/api/api_test.h
tests_api_samplers_LDADD = $(OPENCL_LIBS)
tests_api_grid_barrier_SOURCES = tests/api/grid_barrier.c \
	tests/api/command_buffer_entry.h tests/api/api_test.h
tests_api_grid_barrier_LDADD = $(OPENCL_LIBS)
tests_api_pipes_SOURCES = tests/api/pipes.c tests/api/command_buffer_entry.h tests/api/api_test.h
tests_api_pipes_LDADD = $(OPENCL_LIBS)
tests_api_no_handles_SOURCES = tests/api/no_handles.c tests/api/api_test.h
tests_api_no_handles_LDADD = $(OPENCL_LIBS)
tests_api_null_arguments_SOURCES = tests/api/null_arguments.c tests/api/api_test.h
tests_api_null_arguments_LDADD = $(OPENCL_LIBS)
tests_api_unsupported_SOURCES = tests/api/unsupported.c tests/api/api_test.h
tests_api_unsupported_LDADD = $(OPENCL_LIBS)
tests_api_dispatch_SOURCES = tests/api/dispatch.c tests/api/api_test.h
tests_api_dispatch_LDADD = $(OPENCL_LIBS) -ldl
EXTRA_tests_api_dispatch_DEPENDENCIES = tests/api/libmoving-loader.so
check_PROGRAMS += tests/api/libmoving-loader.so
tests_api_libmoving_loader_so_SOURCES = tests/api/moving_loader.c
tests_api_libmoving_loader_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_api_il_SOURCES = tests/api/il.c tests/api/il_module.h tests/api/api_test.h
tests_api_il_names_SOURCES = tests/api/il_names.c tests/api/il_builder.h tests/api/api_test.h
tests_api_il_names_LDADD = $(OPENCL_LIBS)
tests_api_il_LDADD = $(OPENCL_LIBS)
tests_api_float_options_SOURCES = tests/api/float_options.c tests/api/api_test.h
tests_api_float_options_LDADD = $(OPENCL_LIBS)

# What a profiler sees of the calls.
if HAVE_NVTX
if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/api/libranges-listener.so
tests_api_libranges_listener_so_SOURCES = tests/api/ranges_listener.c
tests_api_libranges_listener_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_api_libranges_listener_so_LDADD = -ldl -lpthread
TESTS += tests/api/ranges.sh
endif
endif
EXTRA_DIST += tests/api/ranges.sh

# Every documented error of every function.
api_object_tests += tests/api/errors
tests_api_errors_SOURCES = tests/api/errors.c tests/api/errors.h tests/api/errors.def \
	tests/api/errors_reasons.def tests/api/api_test.h tests/api/errors_platform.c \
	tests/api/errors_context.c tests/api/errors_queue.c tests/api/errors_event.c \
	tests/api/errors_buffer.c tests/api/errors_rect.c tests/api/errors_image.c \
	tests/api/errors_image_commands.c tests/api/errors_sampler.c \
	tests/api/errors_program.c tests/api/il_module.h tests/api/errors_kernel.c \
	tests/api/errors_launch.c \
	tests/api/errors_svm.c tests/api/errors_usm.c tests/api/errors_info.c \
	tests/api/errors_handles.c tests/api/errors_wait_lists.c tests/api/errors_record.h \
	tests/api/errors_command_buffer.c tests/api/errors_record.c \
	tests/api/errors_record_images.c tests/api/errors_semaphore.c \
	tests/api/errors_immutable.c
tests_api_errors_LDADD = $(OPENCL_LIBS)
EXTRA_DIST += tests/api/errors_from_spec

api_object_tests += tests/api/no_compiler
tests_api_no_compiler_SOURCES = tests/api/no_compiler.c tests/api/il_module.h tests/api/api_test.h
tests_api_no_compiler_LDADD = $(OPENCL_LIBS)

api_object_tests += tests/api/old_device
tests_api_old_device_SOURCES = tests/api/old_device.c tests/api/api_test.h
tests_api_old_device_LDADD = $(OPENCL_LIBS)

api_object_tests += tests/api/locked_folder
tests_api_locked_folder_SOURCES = tests/api/locked_folder.c tests/api/api_test.h
tests_api_locked_folder_LDADD = $(OPENCL_LIBS)

api_object_tests += tests/api/small_stacks
tests_api_small_stacks_SOURCES = tests/api/small_stacks.c tests/api/api_test.h
tests_api_small_stacks_LDADD = $(OPENCL_LIBS) -lpthread

if HAVE_OPENCL_LOADER
check_PROGRAMS += tests/api/replaced
TESTS += tests/api/replaced.sh
endif
tests_api_replaced_SOURCES = tests/api/replaced.c tests/api/api_test.h
tests_api_replaced_LDADD = $(OPENCL_LIBS)
EXTRA_DIST += tests/api/replaced.sh

api_object_tests += tests/api/guest
tests_api_guest_SOURCES = tests/api/guest.c tests/api/api_test.h
tests_api_guest_LDADD = $(OPENCL_LIBS) -lpthread -lm

api_object_tests += tests/api/forks
tests_api_forks_SOURCES = tests/api/forks.c tests/api/api_test.h
tests_api_forks_LDADD = $(OPENCL_LIBS) -lpthread

api_object_tests += tests/api/pinned_buffers
tests_api_pinned_buffers_SOURCES = tests/api/pinned_buffers.c tests/api/api_test.h
tests_api_pinned_buffers_LDADD = $(OPENCL_LIBS)

api_object_tests += tests/api/storms
tests_api_storms_SOURCES = tests/api/storms.c tests/api/storm.h \
	tests/api/command_buffer_entry.h tests/api/api_test.h
tests_api_storms_LDADD = $(OPENCL_LIBS) -lpthread
api_object_tests += tests/api/storms_imported
tests_api_storms_imported_SOURCES = tests/api/storms_imported.c tests/api/storm.h \
	tests/api/cuda_shared.h tests/api/cuda_library.h tests/api/fifo.h \
	tests/api/semaphore_calls.h tests/api/api_test.h
tests_api_storms_imported_LDADD = $(OPENCL_LIBS) -lpthread -ldl

api_object_tests += tests/api/image_requirements
tests_api_image_requirements_SOURCES = tests/api/image_requirements.c tests/api/api_test.h
tests_api_image_requirements_LDADD = $(OPENCL_LIBS)

api_object_tests += tests/api/immutable_memory
tests_api_immutable_memory_SOURCES = tests/api/immutable_memory.c \
	tests/api/command_buffer_entry.h tests/api/api_test.h
tests_api_immutable_memory_LDADD = $(OPENCL_LIBS)

# What commands do.
api_command_tests = tests/api/buffers tests/api/image_transfers tests/api/image_maps \
	tests/api/image_kernels tests/api/maps tests/api/events tests/api/launches tests/api/repeats \
	tests/api/devices tests/api/threads tests/api/unloads tests/api/checked_buffers tests/api/extension_pragmas \
	tests/api/lost tests/api/sync \
	tests/api/complaints tests/api/orders \
	tests/api/printf tests/api/out_of_order tests/api/transfers tests/api/large_copies \
	tests/api/waits tests/api/wait_lists tests/api/native tests/api/diagnostics tests/api/svm \
	tests/api/usm \
	tests/api/command_buffers tests/api/command_buffer_memory \
	tests/api/cuda_interop tests/api/mutable_commands tests/api/semaphores \
	tests/api/external_memory tests/api/shared_semaphores tests/api/svm_system tests/api/large_memory \
	tests/api/device_addresses tests/api/foreign_semaphores \
	tests/api/external_images
tests_api_usm_SOURCES = tests/api/usm.c tests/api/api_test.h
tests_api_usm_LDADD = $(OPENCL_LIBS) -lpthread
tests_api_svm_SOURCES = tests/api/svm.c tests/api/api_test.h
tests_api_svm_LDADD = $(OPENCL_LIBS)
tests_api_mutable_commands_SOURCES = tests/api/mutable_commands.c \
	tests/api/command_buffer_entry.h tests/api/api_test.h
tests_api_mutable_commands_LDADD = $(OPENCL_LIBS)
tests_api_cuda_interop_SOURCES = tests/api/cuda_interop.c tests/api/cuda_library.h tests/api/api_test.h
tests_api_cuda_interop_LDADD = $(OPENCL_LIBS) -ldl
tests_api_command_buffers_SOURCES = tests/api/command_buffers.c \
	tests/api/command_buffer_entry.h tests/api/api_test.h
tests_api_command_buffers_LDADD = $(OPENCL_LIBS)
tests_api_command_buffer_memory_SOURCES = tests/api/command_buffer_memory.c \
	tests/api/command_buffer_entry.h tests/api/api_test.h
tests_api_command_buffer_memory_LDADD = $(OPENCL_LIBS)
tests_api_semaphores_SOURCES = tests/api/semaphores.c tests/api/api_test.h
tests_api_semaphores_LDADD = $(OPENCL_LIBS)
tests_api_external_memory_SOURCES = tests/api/external_memory.c tests/api/cuda_shared.h \
	tests/api/cuda_library.h \
	tests/api/second_process.h tests/api/api_test.h
tests_api_external_memory_LDADD = $(OPENCL_LIBS) -ldl
tests_api_external_images_SOURCES = tests/api/external_images.c tests/api/cuda_shared.h \
	tests/api/cuda_library.h \
	tests/api/api_test.h
tests_api_external_images_LDADD = $(OPENCL_LIBS) -ldl -lm
tests_api_svm_system_SOURCES = tests/api/svm_system.c tests/api/api_test.h
tests_api_svm_system_LDADD = $(OPENCL_LIBS) -lpthread
tests_api_large_memory_SOURCES = tests/api/large_memory.c tests/api/api_test.h
tests_api_large_memory_LDADD = $(OPENCL_LIBS) -ldl
tests_api_shared_semaphores_SOURCES = tests/api/shared_semaphores.c tests/api/cuda_shared.h \
	tests/api/cuda_library.h \
	tests/api/second_process.h tests/api/semaphore_calls.h tests/api/api_test.h
tests_api_shared_semaphores_LDADD = $(OPENCL_LIBS) -ldl
tests_api_foreign_semaphores_SOURCES = tests/api/foreign_semaphores.c tests/api/partner.h \
	tests/api/partner_soft.c tests/api/partner_vulkan.c tests/api/fifo.h \
	tests/api/semaphore_calls.h tests/api/api_test.h
tests_api_foreign_semaphores_LDADD = $(OPENCL_LIBS) -lpthread -ldl
tests_api_device_addresses_SOURCES = tests/api/device_addresses.c tests/api/api_test.h
tests_api_device_addresses_LDADD = $(OPENCL_LIBS)
tests_api_diagnostics_SOURCES = tests/api/diagnostics.c tests/api/api_test.h
tests_api_diagnostics_LDADD = $(OPENCL_LIBS)
tests_api_native_SOURCES = tests/api/native.c tests/api/api_test.h
tests_api_native_LDADD = $(OPENCL_LIBS)
tests_api_waits_SOURCES = tests/api/waits.c tests/api/api_test.h
tests_api_waits_LDADD = $(OPENCL_LIBS)
tests_api_wait_lists_SOURCES = tests/api/wait_lists.c tests/api/api_test.h
tests_api_wait_lists_LDADD = $(OPENCL_LIBS)
tests_api_large_copies_SOURCES = tests/api/large_copies.c tests/api/api_test.h
tests_api_large_copies_LDADD = $(OPENCL_LIBS) -lpthread
tests_api_transfers_SOURCES = tests/api/transfers.c tests/api/api_test.h
tests_api_transfers_LDADD = $(OPENCL_LIBS)
tests_api_out_of_order_SOURCES = tests/api/out_of_order.c tests/api/api_test.h
tests_api_out_of_order_LDADD = $(OPENCL_LIBS)
tests_api_image_transfers_SOURCES = tests/api/image_transfers.c tests/api/api_test.h
tests_api_image_transfers_LDADD = $(OPENCL_LIBS)
tests_api_image_maps_SOURCES = tests/api/image_maps.c tests/api/api_test.h
tests_api_image_maps_LDADD = $(OPENCL_LIBS)
tests_api_image_kernels_SOURCES = tests/api/image_kernels.c tests/api/api_test.h
tests_api_image_kernels_LDADD = $(OPENCL_LIBS) -ldl
tests_api_buffers_SOURCES = tests/api/buffers.c tests/api/api_test.h
tests_api_buffers_LDADD = $(OPENCL_LIBS)
tests_api_maps_SOURCES = tests/api/maps.c tests/api/api_test.h
tests_api_maps_LDADD = $(OPENCL_LIBS)
tests_api_events_SOURCES = tests/api/events.c tests/api/api_test.h
tests_api_events_LDADD = $(OPENCL_LIBS) -lpthread
tests_api_launches_SOURCES = tests/api/launches.c tests/api/api_test.h
tests_api_launches_LDADD = $(OPENCL_LIBS)
tests_api_repeats_SOURCES = tests/api/repeats.c tests/api/api_test.h
tests_api_repeats_LDADD = $(OPENCL_LIBS) -lpthread
tests_api_devices_SOURCES = tests/api/devices.c tests/api/api_test.h
tests_api_devices_LDADD = $(OPENCL_LIBS)
tests_api_threads_SOURCES = tests/api/threads.c tests/api/api_test.h
tests_api_threads_LDADD = $(OPENCL_LIBS) -lpthread
tests_api_checked_buffers_SOURCES = tests/api/checked_buffers.c tests/api/api_test.h
tests_api_checked_buffers_LDADD = $(OPENCL_LIBS)
tests_api_extension_pragmas_SOURCES = tests/api/extension_pragmas.c tests/api/api_test.h
tests_api_extension_pragmas_LDADD = $(OPENCL_LIBS)

tests_api_unloads_SOURCES = tests/api/unloads.c tests/api/api_test.h
tests_api_unloads_LDADD = $(OPENCL_LIBS) -lpthread
tests_api_sync_SOURCES = tests/api/sync.c tests/api/api_test.h
tests_api_sync_LDADD = $(OPENCL_LIBS)
tests_api_complaints_SOURCES = tests/api/complaints.c tests/api/command_buffer_entry.h \
	tests/api/api_test.h
tests_api_complaints_LDADD = $(OPENCL_LIBS)
tests_api_lost_SOURCES = tests/api/lost.c tests/api/api_test.h
tests_api_lost_LDADD = $(OPENCL_LIBS)
tests_api_orders_SOURCES = tests/api/orders.c tests/api/api_test.h
tests_api_orders_LDADD = $(OPENCL_LIBS) -lpthread
tests_api_printf_SOURCES = tests/api/printf.c tests/api/api_test.h
tests_api_printf_LDADD = $(OPENCL_LIBS) -lpthread

# Devices of different architectures in one context.
if HAVE_OPENCL_LOADER
TESTS += tests/api/mixed.sh tests/api/graph_launches.sh
endif
EXTRA_DIST += tests/api/mixed.sh tests/api/graph_launches.sh
