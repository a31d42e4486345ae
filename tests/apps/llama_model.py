#!/usr/bin/python3
"""Protects: a whole model of llama.cpp by its SYCL backend, built by DPC++ for SPIR-V: a small Llama with quantized random
weights reads 16 tokens in groups and one by one, then writes 16.  At each place its output is compared with that of
llama.cpp's code for the processor.  CYLLAMA_SYCL names the Python of a virtual environment with the packages cyllama-sycl, its
DPC++ runtime, NumPy and gguf.  dpcpp_preload.c says what has to be preloaded, and why."""
import os
import subprocess
import sys
import tempfile

VOCABULARY, WIDTH, INNER, LAYERS, HEADS, KEYS = 512, 256, 512, 2, 4, 2
FIRST_WORD, GROUPS, WRITTEN, LIMIT = 259, (8, 4, 1, 1, 1, 1), 16, 0.03


def make(path):
    """The model: bytes and some words of two letters."""
    import gguf
    import numpy
    random, kind = numpy.random.default_rng(28), gguf.GGMLQuantizationType.Q8_0
    model = gguf.GGUFWriter(path, "llama")
    model.add_context_length(256)
    model.add_embedding_length(WIDTH)
    model.add_feed_forward_length(INNER)
    model.add_block_count(LAYERS)
    model.add_head_count(HEADS)
    model.add_head_count_kv(KEYS)
    model.add_rope_dimension_count(WIDTH // HEADS)
    model.add_layer_norm_rms_eps(1e-5)
    model.add_vocab_size(VOCABULARY)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = [a + b for a in letters for b in letters][:VOCABULARY - FIRST_WORD]
    model.add_tokenizer_model("llama")
    model.add_token_list(["<unk>", "<s>", "</s>"] + ["<0x%02X>" % byte for byte in range(256)] + words)
    model.add_token_scores([0.0] * 3 + [-1000.0] * 256 + [-float(i) for i in range(len(words))])
    model.add_token_types([2, 3, 3] + [6] * 256 + [1] * len(words))
    model.add_bos_token_id(1)
    model.add_eos_token_id(2)
    model.add_unk_token_id(0)

    def put(tensor, rows, columns, scale=None):
        values = (random.standard_normal((rows, columns)) * (scale or columns ** -0.5)).astype(numpy.float32)
        model.add_tensor(tensor + ".weight", gguf.quantize(values, kind), raw_dtype=kind)

    def norm(tensor):
        model.add_tensor(tensor + ".weight", numpy.ones(WIDTH, numpy.float32))

    put("token_embd", VOCABULARY, WIDTH, 1.0)
    put("output", VOCABULARY, WIDTH, 0.2)
    norm("output_norm")
    for layer in range(LAYERS):
        block = "blk.%d." % layer
        norm(block + "attn_norm")
        norm(block + "ffn_norm")
        for tensor, rows in (("attn_q", WIDTH), ("attn_k", WIDTH * KEYS // HEADS), ("attn_v", WIDTH * KEYS // HEADS),
                             ("attn_output", WIDTH), ("ffn_gate", INNER), ("ffn_up", INNER)):
            put(block + tensor, rows, WIDTH)
        put(block + "ffn_down", WIDTH, INNER)
    model.write_header_to_file()
    model.write_kv_data_to_file()
    model.write_tensors_to_file()
    model.close()


def run(path, layers, output):
    """Writes what the model says at each place."""
    import cyllama.llama.llama_cpp as llama
    import numpy

    class Model(llama.LlamaModel):
        n_vocab = VOCABULARY  # which get_logits asks for, and LlamaModel lacks

    llama.ggml_backend_load_all()
    parameters = llama.LlamaModelParams()
    parameters.n_gpu_layers = layers
    settings = llama.LlamaContextParams()
    settings.n_ctx, settings.n_batch, settings.n_ubatch, settings.n_threads = 128, max(GROUPS), max(GROUPS), 1
    model = Model(path, parameters)
    context = llama.LlamaContext(model, settings)
    tokens = [1] + [int(word) for word in numpy.random.default_rng(5).integers(FIRST_WORD, VOCABULARY, sum(GROUPS) - 1)]
    place, said = 0, []

    def read(group):
        nonlocal place
        context.decode(llama.llama_batch_get_one(group, place))
        place += len(group)
        said.append(numpy.array(context.get_logits()[-VOCABULARY:], numpy.float32))

    for size in GROUPS:
        read(tokens[place:place + size])
    for _ in range(WRITTEN):
        read([int(said[-1].argmax())])
    numpy.save(output, numpy.array(said))


def version():
    """llama.cpp's, as the package has it."""
    import json
    import cyllama
    with open(os.path.join(os.path.dirname(cyllama.__file__), "build_config.json")) as file:
        return json.load(file)["versions"]["llama_cpp_version"]


def compared():
    """How many places are right of how many."""
    import dpcpp
    import numpy
    with tempfile.TemporaryDirectory() as kept:
        model = os.path.join(kept, "model.gguf")
        make(model)
        settings = dpcpp.preloaded(kept)
        # Its attention divides by a sixteenth of the number of compute units, and oneMKL would be asked for without it.
        settings.setdefault("CULVERT_SOFT_MULTIPROCESSORS", "64")
        results, log = [], ""
        for where, layers in (("processor", "0"), ("device", "99")):
            output = os.path.join(kept, where + ".npy")
            ran = subprocess.run([sys.executable, os.path.abspath(__file__), model, layers, output], env=settings,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace")
            log = ran.stdout
            if ran.returncode:
                print("  %s ended with %d: %s" % (where, ran.returncode, log[-1500:]))
                return 0, len(GROUPS) + WRITTEN
            results.append(numpy.load(output))
        if "SYCL0 model buffer size" not in log:
            print("  the device was not used: " + log[-1500:])
            return 0, len(GROUPS) + WRITTEN
    right = 0
    for place, (expected, found) in enumerate(zip(*results)):
        error = numpy.abs(found - expected).max() / numpy.abs(expected).max()
        good = error <= LIMIT and found.argmax() == expected.argmax()
        right += bool(good)
        if not good:
            print("  place %d WRONG: error %.2g, word %d and not %d" % (place, error, found.argmax(), expected.argmax()))
    return right, len(results[0])


if len(sys.argv) == 4:
    run(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    sys.exit()
if "LLAMA_MODEL_DEVICE" not in os.environ:
    python = os.environ.get("CYLLAMA_SYCL")
    if not python or not os.access(python, os.X_OK):
        print("skipped: CYLLAMA_SYCL names no Python")
        sys.exit(77)
    import platforms
    name, number = platforms.wanted()
    os.execvpe(python, [python] + sys.argv, dict(os.environ, LLAMA_MODEL_DEVICE=platforms.first_device(number)))
good, asked = compared()
print("llama.cpp's models by SYCL %s on %s: %d of %d outputs right" % (version(), os.environ["LLAMA_MODEL_DEVICE"], good, asked))
sys.exit(good != asked)
