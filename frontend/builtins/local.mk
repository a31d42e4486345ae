# The OpenCL C builtin library.  Each source becomes bitcode of its own; which of them a program
# needs is decided by the names it refers to.
builtin_sources = \
	frontend/builtins/async.cl \
	frontend/builtins/async_extended.cl \
	frontend/builtins/atomic_fetch.cl \
	frontend/builtins/atomic_legacy.cl \
	frontend/builtins/atomic_memory.cl \
	frontend/builtins/atomic_real.cl \
	frontend/builtins/bfloat16.cl \
	frontend/builtins/bit_field.cl \
	frontend/builtins/clock.cl \
	frontend/builtins/common.cl \
	frontend/builtins/convert_16.cl \
	frontend/builtins/convert_32.cl \
	frontend/builtins/convert_64.cl \
	frontend/builtins/convert_8.cl \
	frontend/builtins/convert_half.cl \
	frontend/builtins/convert_real.cl \
	frontend/builtins/generic.cl \
	frontend/builtins/dot_product.cl \
	frontend/builtins/geometric.cl \
	frontend/builtins/image_mipmap.cl \
	frontend/builtins/image_query.cl \
	frontend/builtins/image_read.cl \
	frontend/builtins/image_read_write.cl \
	frontend/builtins/image_write.cl \
	frontend/builtins/grid_barrier.cl \
	frontend/builtins/integer.cl \
	frontend/builtins/intel_sub_group.cl \
	frontend/builtins/math_f16.cl \
	frontend/builtins/math_f32.cl \
	frontend/builtins/math_f64.cl \
	frontend/builtins/matrix.cl \
	frontend/builtins/matrix_wide.cl \
	frontend/builtins/native.cl \
	frontend/builtins/pipe.cl \
	frontend/builtins/relational.cl \
	frontend/builtins/shuffle.cl \
	frontend/builtins/static_object.cl \
	frontend/builtins/sub_group.cl \
	frontend/builtins/sub_group_active.cl \
	frontend/builtins/sub_group_arithmetic.cl \
	frontend/builtins/sync.cl \
	frontend/builtins/vload.cl \
	frontend/builtins/vload_half.cl \
	frontend/builtins/work_group.cl \
	frontend/builtins/workitem.cl

# Those whose functions depend on the size of sub-groups.
narrow_sources = \
	frontend/builtins/intel_sub_group.cl \
	frontend/builtins/pipe.cl \
	frontend/builtins/sub_group.cl \
	frontend/builtins/sub_group_active.cl \
	frontend/builtins/sub_group_arithmetic.cl

builtin_headers = \
	frontend/builtins/async.h \
	frontend/builtins/atomic.h \
	frontend/builtins/builtin.h \
	frontend/builtins/convert.h \
	frontend/builtins/declarations.h \
	frontend/builtins/image.h \
	frontend/builtins/image_element.h \
	frontend/builtins/math_real.h \
	frontend/builtins/math_relaxed.h \
	frontend/builtins/matrix.h \
	frontend/builtins/note.h \
	frontend/builtins/sub_group.h

# -cl-no-stdinc: the library declares its types itself.  Lifetime markers and type-based aliasing
# would only make the bitcode larger.
builtin_cflags = -target nvptx64-nvidia-cuda -nogpulib -Wno-unknown-cuda-version \
	-x cl -cl-std=CL3.0 -cl-no-stdinc -fno-builtin -Wall -O2 \
	-Xclang -disable-llvm-passes -Xclang -disable-lifetime-markers \
	-Xclang -relaxed-aliasing \
	-Xclang -cl-ext=+cl_khr_fp16,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics \
	-Xclang -cl-ext=+__opencl_c_images,+__opencl_c_read_write_images \
	-Xclang -cl-ext=+cl_khr_3d_image_writes,+__opencl_c_3d_image_writes,+cl_khr_depth_images \
	-emit-llvm
