"""What the loader tells of platforms and devices, for scripts of programs that do not tell it themselves."""
import ctypes
import os
import sys

loader = None
PLATFORM_NAME, DEVICE_NAME = 0x0902, 0x102B


def _loader():
    global loader
    loader = loader or ctypes.CDLL("libOpenCL.so.1")
    return loader


def _text(ask, handle, query):
    text = ctypes.create_string_buffer(256)
    failed = ask(ctypes.c_void_p(handle), query, ctypes.c_size_t(len(text)), text, None)
    return "" if failed else text.value.decode()


def platform_name(handle):
    return _text(_loader().clGetPlatformInfo, handle, PLATFORM_NAME)


def device_name(handle):
    return _text(_loader().clGetDeviceInfo, handle, DEVICE_NAME)


def _has_device(handle):
    return _loader().clGetDeviceIDs(ctypes.c_void_p(handle), ctypes.c_uint64(0xFFFFFFFF), 0, None,
                                    ctypes.byref(ctypes.c_uint())) == 0


def number(name):
    """The first platform of that NAME with a device, counted as the loader does; none where there is none."""
    handles, count = (ctypes.c_void_p * 16)(), ctypes.c_uint()
    try:
        _loader().clGetPlatformIDs(len(handles), handles, ctypes.byref(count))
    except OSError:  # no loader
        return None
    return next((i for i, handle in enumerate(handles[:min(count.value, len(handles))])
                 if name in platform_name(handle) and _has_device(handle)), None)


def first_device(number):
    """The name of the platform's first device."""
    handles, device = (ctypes.c_void_p * 16)(), ctypes.c_void_p()
    _loader().clGetPlatformIDs(len(handles), handles, None)
    _loader().clGetDeviceIDs(ctypes.c_void_p(handles[number]), ctypes.c_uint64(0xFFFFFFFF), 1, ctypes.byref(device),
                             None)
    return device_name(device.value)


def wanted():
    """(its name, its number) of the platform under test; the script is skipped where it has no device."""
    name = os.environ.get("APP_PLATFORM", "Culvert")
    found = number(name)
    if found is None:
        print("skipped: no", name, "device")
        sys.exit(77)
    return name, found
