"""A device and its queue, for scripts that run single kernels. What fails ends the script."""
import ctypes
import sys

import platforms

BUILD_LOG = 0x1183


class Device:
    def __init__(self, name):
        number = platforms.needed(name)
        self.cl = platforms.library()
        for function in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel",
                         "clCreateBuffer"):
            getattr(self.cl, function).restype = ctypes.c_void_p
        self.device = platforms.device(number)
        self.context = ctypes.c_void_p(self.cl.clCreateContext(None, 1, ctypes.byref(self.device), None, None, None))
        self.queue = ctypes.c_void_p(self.cl.clCreateCommandQueue(self.context, self.device, ctypes.c_uint64(0), None))

    def kernel(self, source, options, name):
        text = ctypes.c_char_p(source)
        program = ctypes.c_void_p(self.cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(text), None, None))
        if self.cl.clBuildProgram(program, 1, ctypes.byref(self.device), options.encode(), None, None):
            log = ctypes.create_string_buffer(1 << 16)
            self.cl.clGetProgramBuildInfo(program, self.device, BUILD_LOG, ctypes.c_size_t(len(log)), log, None)
            sys.exit("the build failed: " + log.value.decode(errors="replace"))
        error = ctypes.c_int()
        kernel = self.cl.clCreateKernel(program, name.encode(), ctypes.byref(error))
        if error.value:
            sys.exit("clCreateKernel: %d" % error.value)
        return ctypes.c_void_p(kernel)

    def buffer(self, flags, size, data):
        """DATA: what it holds at first with CL_MEM_COPY_HOST_PTR among the flags, otherwise None."""
        error = ctypes.c_int()
        mem = self.cl.clCreateBuffer(self.context, ctypes.c_uint64(flags), ctypes.c_size_t(size), data,
                                     ctypes.byref(error))
        if error.value:
            sys.exit("clCreateBuffer: %d" % error.value)
        return ctypes.c_void_p(mem)
