#!/usr/bin/python3
"""Protects: whisper.cpp by its OpenCL backend, which is llama.cpp's.  A model with random weights hears a sound; each word
that it says, and how likely it was, are compared with those of whisper.cpp's code for the processor.  WHISPER names
whisper.cpp's build folder, built with GGML_OPENCL and without GGML_OPENCL_USE_ADRENO_KERNELS after
tests/apps/llama_cpp_edit.py has edited the source, and WHISPER_SOURCE its source, with the models for its tests.
WHISPER_VERSION says which version it is."""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import wave

import platforms

build, source = os.environ.get("WHISPER", ""), os.environ.get("WHISPER_SOURCE", "")
program = os.path.join(build, "bin", "whisper-cli")
pattern = os.path.join(source, "models", "for-tests-ggml-tiny.en.bin")
if not os.access(program, os.X_OK) or not os.path.exists(pattern):
    print("skipped: WHISPER and WHISPER_SOURCE name no build and source of whisper.cpp")
    sys.exit(77)
try:
    import numpy
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)
name, number = platforms.wanted()
CLOSE = 0.05
LAYERS, WIDTH = 2, 384


class Model:
    """The model for tests has no weights: its first numbers, its filters and its words are taken."""

    def __init__(self, file):
        with open(pattern, "rb") as read:
            start = read.read()
        head = list(struct.unpack_from("<12i", start))
        head[5] = head[9] = LAYERS
        self.words, self.sounds, self.texts, self.bands = head[1], head[2], head[6], head[10]
        mels, frequencies = struct.unpack_from("<2i", start, 48)
        at = 56 + 4 * mels * frequencies
        count, = struct.unpack_from("<i", start, at)
        at += 4
        for _ in range(count):
            at += 4 + struct.unpack_from("<I", start, at)[0]
        self.file, self.random = file, numpy.random.default_rng(28)
        file.write(struct.pack("<12i", *head) + start[48:at])

    def put(self, tensor, *shape, scale=None, type=None, ones=False):
        """A tensor: its dimensions come last first, and matrices are of halves."""
        if ones:
            values = numpy.ones(shape)
        else:
            values = self.random.standard_normal(shape) * (scale or math.prod(shape[1:]) ** -0.5)
        values = values.astype(type or (numpy.float16 if len(shape) > 1 else numpy.float32))
        self.file.write(struct.pack("<3i", len(shape), len(tensor), values.dtype == numpy.float16))
        self.file.write(struct.pack("<%di" % len(shape), *reversed(shape)) + tensor.encode() + values.tobytes())

    def layer(self, tensor, *shape):
        self.put(tensor + ".weight", *shape)
        self.put(tensor + ".bias", shape[0], scale=0.1)

    def norm(self, tensor):
        self.put(tensor + ".weight", WIDTH, ones=True)
        self.put(tensor + ".bias", WIDTH, scale=0.1)

    def block(self, prefix, attentions):
        for attention in attentions:
            self.norm(prefix + attention + "_ln")
            self.put(prefix + attention + ".key.weight", WIDTH, WIDTH)
            for part in ("query", "value", "out"):
                self.layer(prefix + attention + "." + part, WIDTH, WIDTH)
        self.norm(prefix + "mlp_ln")
        self.layer(prefix + "mlp.0", 4 * WIDTH, WIDTH)
        self.layer(prefix + "mlp.2", WIDTH, 4 * WIDTH)

    def all(self):
        self.put("encoder.positional_embedding", self.sounds, WIDTH, scale=0.1, type=numpy.float32)
        for conv, inputs in (("encoder.conv1", self.bands), ("encoder.conv2", WIDTH)):
            self.put(conv + ".weight", WIDTH, inputs, 3)
            self.put(conv + ".bias", WIDTH, 1, scale=0.1, type=numpy.float32)
        self.norm("encoder.ln_post")
        self.put("decoder.positional_embedding", self.texts, WIDTH, scale=0.1, type=numpy.float32)
        self.put("decoder.token_embedding.weight", self.words, WIDTH, scale=0.15)
        self.norm("decoder.ln")
        for i in range(LAYERS):
            self.block("encoder.blocks.%d." % i, ["attn"])
            self.block("decoder.blocks.%d." % i, ["attn", "cross_attn"])


def sound(path):
    """Two seconds of three tones that rise, in mono, 16000 samples a second."""
    time = numpy.arange(32000) / 16000
    values = sum(numpy.sin(2 * numpy.pi * tone * time * (1 + time / 4)) for tone in (220, 550, 1310)) / 3
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes((values * 20000).astype("<i2").tobytes())


def said(folder, where, *options):
    """[(a word's number, how likely it was)], and what the program wrote."""
    output = os.path.join(folder, where)
    ran = subprocess.run([program, "-m", os.path.join(folder, "model"), "-f", os.path.join(folder, "sound.wav"), "-t", "2",
                          "-ac", "128", "-nf", "-bs", "1", "-bo", "1", "-tp", "0", "-ojf", "-of", output, *options],
                         env=dict(os.environ, GGML_OPENCL_PLATFORM=name), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        with open(output + ".json", errors="replace") as file:
            parts = json.load(file)["transcription"]
    except (OSError, ValueError):
        print("    %s ended with %d: %s" % (where, ran.returncode, ran.stdout[-600:]))
        return [], ran.stdout
    return [(token["id"], token["p"]) for part in parts for token in part["tokens"]], ran.stdout


with tempfile.TemporaryDirectory() as kept:
    with open(os.path.join(kept, "model"), "wb") as made:
        Model(made).all()
    sound(os.path.join(kept, "sound.wav"))
    expected, _ = said(kept, "processor", "-ng")
    found, log = said(kept, "device")
used = "GPUOpenCL" in log
if not used:
    print("  the device was not used: " + log[-600:])
right = 0
for place, (word, likely) in enumerate(expected):
    good = used and place < len(found) and found[place][0] == word and abs(found[place][1] - likely) <= CLOSE * likely
    right += good
    if not good and right == place:
        print("  word %d WRONG: %s, not %s" % (place, found[place] if place < len(found) else "none", (word, likely)))
print("whisper.cpp %s on %s: %d of %d words right" % (os.environ.get("WHISPER_VERSION", "of-its-repository"),
                                                      platforms.first_device(number), right, len(expected)))
sys.exit(not expected or right != len(expected))
