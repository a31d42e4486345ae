#!/usr/bin/python3
"""Protects: stable-diffusion.cpp by its OpenCL backend, which is llama.cpp's.  A small model of Flux's form with random
weights (two blocks of a transformer, a decoder of pictures) paints a picture for some words; its pixels are compared
with those that stable-diffusion.cpp's code for the processor paints.  SD_CLI names the program sd-cli, built for a ggml
that tests/apps/llama_cpp_edit.py has edited (docs/applications.md), SD_VERSION its version.  The text encoder, whose
size is fixed, is left to the processor; without its T5, only one vector comes from the words.  APP_PYTHON is a Python
that has NumPy and Pillow."""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

import platforms
from results import started

program = os.environ.get("SD_CLI", "")
if not os.access(program, os.X_OK):
    print("skipped: SD_CLI names no program")
    sys.exit(77)
started()
try:
    import numpy
    from PIL import Image
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
name, number = platforms.wanted()
SIZE, STEPS, WIDTH, HEAD, CHANNELS = 64, 2, 128, 128, 32
WORDS = ("a lake", "three birds")
LAYERS, TEXT, TEXTS, WORDS_KNOWN, LATENT = 12, 768, 4096, 49408, 16
# The mean of the pixels' differences, of 255, and the largest may be so much.
MEAN, MOST = 0.5, 8


class Model:
    """Writes safetensors: their names and places, then their numbers."""

    def __init__(self):
        self.random, self.places, self.parts, self.bytes = numpy.random.default_rng(28), {}, [], 0

    def add(self, tensor, values):
        values = numpy.ascontiguousarray(values)
        self.places[tensor] = {"dtype": {2: "F16", 4: "F32"}[values.itemsize], "shape": values.shape,
                               "data_offsets": [self.bytes, self.bytes + values.nbytes]}
        self.parts.append(values)
        self.bytes += values.nbytes

    def weight(self, tensor, *shape, scale=None):
        scale = scale or math.prod(shape[1:]) ** -0.5
        self.add(tensor, (self.random.standard_normal(shape, numpy.float32) * scale).astype(numpy.float16))

    def ones(self, tensor, length):
        self.add(tensor, numpy.ones(length, numpy.float32))

    def bias(self, tensor, length):
        self.add(tensor, self.random.standard_normal(length, numpy.float32) * numpy.float32(0.1))

    def layer(self, tensor, *shape):
        self.weight(tensor + ".weight", *shape)
        self.bias(tensor + ".bias", shape[0])

    def norm(self, tensor, length):
        self.ones(tensor + ".weight", length)
        self.bias(tensor + ".bias", length)

    def text(self, prefix):
        self.weight(prefix + "embeddings.token_embedding.weight", WORDS_KNOWN, TEXT, scale=0.1)
        self.weight(prefix + "embeddings.position_embedding.weight", 77, TEXT, scale=0.1)
        for i in range(LAYERS):
            block = prefix + "encoder.layers.%d." % i
            for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                self.layer(block + "self_attn." + part, TEXT, TEXT)
            self.norm(block + "layer_norm1", TEXT)
            self.norm(block + "layer_norm2", TEXT)
            self.layer(block + "mlp.fc1", 4 * TEXT, TEXT)
            self.layer(block + "mlp.fc2", TEXT, 4 * TEXT)
        self.norm(prefix + "final_layer_norm", TEXT)

    def transformer(self, prefix):
        def embedder(tensor, inputs):
            self.layer(prefix + tensor + ".in_layer", WIDTH, inputs)
            self.layer(prefix + tensor + ".out_layer", WIDTH, WIDTH)

        def heads(tensor):
            self.ones(tensor + ".query_norm.scale", HEAD)
            self.ones(tensor + ".key_norm.scale", HEAD)

        self.layer(prefix + "img_in", WIDTH, 4 * LATENT)
        self.layer(prefix + "txt_in", WIDTH, TEXTS)
        embedder("time_in", 256)
        embedder("vector_in", TEXT)
        for part in ("img", "txt"):
            block = prefix + "double_blocks.0." + part
            self.layer(block + "_mod.lin", 6 * WIDTH, WIDTH)
            self.layer(block + "_attn.qkv", 3 * WIDTH, WIDTH)
            heads(block + "_attn.norm")
            self.layer(block + "_attn.proj", WIDTH, WIDTH)
            self.layer(block + "_mlp.0", 4 * WIDTH, WIDTH)
            self.layer(block + "_mlp.2", WIDTH, 4 * WIDTH)
        block = prefix + "single_blocks.0."
        self.layer(block + "linear1", 7 * WIDTH, WIDTH)
        self.layer(block + "linear2", WIDTH, 5 * WIDTH)
        heads(block + "norm")
        self.layer(block + "modulation.lin", 3 * WIDTH, WIDTH)
        self.layer(prefix + "final_layer.linear", 4 * LATENT, WIDTH)
        self.layer(prefix + "final_layer.adaLN_modulation.1", 2 * WIDTH, WIDTH)

    def decoder(self, prefix):
        def block(tensor, inputs, outputs):
            self.norm(tensor + ".norm1", inputs)
            self.layer(tensor + ".conv1", outputs, inputs, 3, 3)
            self.norm(tensor + ".norm2", outputs)
            self.layer(tensor + ".conv2", outputs, outputs, 3, 3)
            if inputs != outputs:
                self.layer(tensor + ".nin_shortcut", outputs, inputs, 1, 1)

        inputs = 4 * CHANNELS
        self.layer(prefix + "conv_in", inputs, LATENT, 3, 3)
        block(prefix + "mid.block_1", inputs, inputs)
        self.norm(prefix + "mid.attn_1.norm", inputs)
        for part in ("q", "k", "v", "proj_out"):
            self.layer(prefix + "mid.attn_1." + part, inputs, inputs, 1, 1)
        block(prefix + "mid.block_2", inputs, inputs)
        for level, times in ((3, 4), (2, 4), (1, 2), (0, 1)):
            for i in range(3):
                block(prefix + "up.%d.block.%d" % (level, i), inputs, times * CHANNELS)
                inputs = times * CHANNELS
            if level:
                self.layer(prefix + "up.%d.upsample.conv" % level, inputs, inputs, 3, 3)
        self.norm(prefix + "norm_out", inputs)
        self.layer(prefix + "conv_out", 3, inputs, 3, 3)

    def write(self, path):
        self.text("text_encoders.clip_l.transformer.text_model.")
        self.transformer("model.diffusion_model.")
        self.decoder("first_stage_model.decoder.")
        head = json.dumps(self.places).encode()
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(head)) + head)
            for values in self.parts:
                file.write(values.tobytes())


def painted(folder, words, where):
    """The picture's pixels, and what the program wrote.  On the processor: where there is no platform."""
    output = os.path.join(folder, "picture.png")
    ran = subprocess.run([program, "-m", os.path.join(folder, "model.safetensors"), "-p", words, "-W", str(SIZE),
                          "-H", str(SIZE), "--steps", str(STEPS), "--cfg-scale", "1", "--sampling-method", "euler",
                          "--seed", "28", "--rng", "cpu", "--clip-on-cpu", "-t", "2", "-v", "-o", output],
                         env=where, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        with Image.open(output) as picture:
            pixels = numpy.asarray(picture.convert("RGB"), numpy.int32)
        os.unlink(output)
        return pixels, ran.stdout
    except OSError:
        print("    it ended with %d: %s" % (ran.returncode, ran.stdout[-600:]))
        return None, ran.stdout


right = 0
with tempfile.TemporaryDirectory() as kept:
    Model().write(os.path.join(kept, "model.safetensors"))
    device = dict(os.environ, GGML_OPENCL_PLATFORM=name)
    processor = dict(os.environ, OCL_ICD_VENDORS=os.path.join(kept, "none"))
    processor.pop("OCL_ICD_FILENAMES", None)
    os.mkdir(processor["OCL_ICD_VENDORS"])
    for words in WORDS:
        expected, _ = painted(kept, words, processor)
        found, log = painted(kept, words, device)
        used = "Initializing backend: GPUOpenCL" in log
        if expected is None or found is None or found.shape != expected.shape:
            print("  %-12s WRONG: no picture" % words)
            continue
        apart = numpy.abs(found - expected)
        # A picture of one color would not tell much.
        good = bool(used and expected.std() > 20 and apart.mean() <= MEAN and apart.max() <= MOST)
        right += good
        print("  %-12s %s: pixels differ by %.3f of 255, at most by %d%s" % (
            words, "right" if good else "WRONG", apart.mean(), apart.max(), "" if used else ", and not by the device"))
print("stable-diffusion.cpp %s on %s: %d of %d pictures right" %
      (os.environ.get("SD_VERSION", "of-its-repository"), platforms.first_device(number), right, len(WORDS)))
sys.exit(right != len(WORDS))
