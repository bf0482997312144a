"""Serves a tiny model with llama.cpp's own server. The weights are random; the wire and the counts are real.

Prints the server's address, and serves until stdin ends."""

import random
import struct
import sys
import tempfile
from pathlib import Path

import xllamacpp

WIDTH, HIDDEN, HEADS, CONTEXT = 32, 64, 2, 2048
WORDS = ["the", "a", "cat", "dog", "tree", "river", "sees", "likes", "finds", "and", "old", "green", "雪", "café", "🙂"]
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
TOKENS = [
    ("<unk>", UNKNOWN),
    ("<s>", CONTROL),
    ("</s>", CONTROL),
    *((f"<0x{byte:02X}>", BYTE) for byte in range(256)),
    *((f"▁{word}", NORMAL) for word in WORDS),
]
TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant:"


def text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def field(value: object) -> bytes:
    """A header value, preceded by the number of its type."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    assert isinstance(value, list)
    # Whole numbers in lists are signed.
    kind = 5 if isinstance(value[0], int) else struct.unpack("<I", field(value[0])[:4])[0]
    return struct.pack("<IIQ", 9, kind, len(value)) + b"".join(field(each)[4:] for each in value)


def model() -> bytes:
    """A GGUF file: a header, the list of tensors, and their data, each aligned to 32 bytes."""
    chance = random.Random(7)

    def numbers(count: int) -> list[float]:
        return [chance.uniform(-1, 1) for _ in range(count)]

    def says(kind: int) -> list[float]:
        # Words take precedence over single bytes, so that every answer is text.
        return numbers(WIDTH) if kind == NORMAL else [0.0] * WIDTH

    fields = {
        "general.architecture": "llama",
        "general.name": "random",
        "llama.context_length": CONTEXT,
        "llama.embedding_length": WIDTH,
        "llama.block_count": 1,
        "llama.feed_forward_length": HIDDEN,
        "llama.attention.head_count": HEADS,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": WIDTH // HEADS,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [name for name, _ in TOKENS],
        "tokenizer.ggml.scores": [0.0] * len(TOKENS),
        "tokenizer.ggml.token_type": [kind for _, kind in TOKENS],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.chat_template": TEMPLATE,
    }
    tensors = {
        "token_embd.weight": ((WIDTH, len(TOKENS)), numbers(WIDTH * len(TOKENS))),
        "output_norm.weight": ((WIDTH,), [1.0] * WIDTH),
        "output.weight": ((WIDTH, len(TOKENS)), [each for _, kind in TOKENS for each in says(kind)]),
        "blk.0.attn_norm.weight": ((WIDTH,), [1.0] * WIDTH),
        "blk.0.ffn_norm.weight": ((WIDTH,), [1.0] * WIDTH),
        **{f"blk.0.attn_{part}.weight": ((WIDTH, WIDTH), numbers(WIDTH**2)) for part in ("q", "k", "v", "output")},
        **{f"blk.0.ffn_{part}.weight": ((WIDTH, HIDDEN), numbers(WIDTH * HIDDEN)) for part in ("gate", "up")},
        "blk.0.ffn_down.weight": ((HIDDEN, WIDTH), numbers(WIDTH * HIDDEN)),
    }
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(fields))
    head += b"".join(text(name) + field(value) for name, value in fields.items())
    data = b""
    for name, (shape, values) in tensors.items():
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        data += struct.pack(f"<{len(values)}f", *values)
        data += bytes(-len(data) % 32)
    return head + bytes(-len(head) % 32) + data


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "random.gguf")
    path.write_bytes(model())
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {"random"}
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.port = 0
    params.verbosity = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
