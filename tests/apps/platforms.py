"""What the loader tells of platforms and devices, for scripts of programs that do not tell it themselves."""
import ctypes
import os
import sys

_library = None
PLATFORM_NAME, DEVICE_NAME = 0x0902, 0x102B
ALL_DEVICES = ctypes.c_uint64(0xFFFFFFFF)


def library():
    """The loader."""
    global _library
    _library = _library or ctypes.CDLL("libOpenCL.so.1")
    return _library


def _handles():
    handles, count = (ctypes.c_void_p * 16)(), ctypes.c_uint()
    library().clGetPlatformIDs(len(handles), handles, ctypes.byref(count))
    return handles[:min(count.value, len(handles))]


def handle(number):
    """The platform itself."""
    return ctypes.c_void_p(_handles()[number])


def device(number):
    """The platform's first device."""
    found = ctypes.c_void_p()
    library().clGetDeviceIDs(handle(number), ALL_DEVICES, 1, ctypes.byref(found), None)
    return found


def _text(ask, handle, query):
    text = ctypes.create_string_buffer(256)
    failed = ask(ctypes.c_void_p(handle), query, ctypes.c_size_t(len(text)), text, None)
    return "" if failed else text.value.decode()


def platform_name(handle):
    return _text(library().clGetPlatformInfo, handle, PLATFORM_NAME)


def device_name(handle):
    return _text(library().clGetDeviceInfo, handle, DEVICE_NAME)


def _has_device(handle):
    return library().clGetDeviceIDs(ctypes.c_void_p(handle), ALL_DEVICES, 0, None, ctypes.byref(ctypes.c_uint())) == 0


def number(name):
    """The first platform of that NAME with a device, counted as the loader does; none where there is none."""
    try:
        handles = _handles()
    except OSError:  # no loader
        return None
    return next((i for i, handle in enumerate(handles) if name in platform_name(handle) and _has_device(handle)), None)


def alone():
    """Whether the loader has one platform only."""
    return len(_handles()) == 1


def first_device(number):
    """The name of the platform's first device."""
    return device_name(device(number).value)


def needed(name):
    """The number of the first platform of that NAME; the script is skipped where it has no device."""
    found = number(name)
    if found is None:
        print("skipped: no", name, "device")
        sys.exit(77)
    return found


def wanted():
    """(its name, its number) of the platform under test; the script is skipped where it has no device."""
    name = os.environ.get("APP_PLATFORM", "Culvert")
    return name, needed(name)
