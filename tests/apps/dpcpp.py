"""What a program of DPC++ that uses oneMKL has to be started with where the GPU is not one of Intel's."""
import os
import shutil
import subprocess


def preloaded(folder):
    """Variables for the program, with dpcpp_preload.c built in FOLDER."""
    library = os.path.join(folder, "preload.so")
    subprocess.run([shutil.which("cc") or "gcc", "-O1", "-shared", "-fPIC", "-o", library,
                    os.path.join(os.path.dirname(os.path.abspath(__file__)), "dpcpp_preload.c"), "-ldl"], check=True)
    variables = dict(os.environ, LD_PRELOAD=library, GGML_NO_BACKTRACE="1")
    variables.pop("ONEAPI_DEVICE_SELECTOR", None)
    return variables
