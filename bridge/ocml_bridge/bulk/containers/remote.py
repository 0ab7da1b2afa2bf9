"""Read inputs from addresses: `s3://`, `gs://`, `hf://`, `https://`, and all others that fsspec has a file system for.

They are read from the beginning; Parquet is read in row groups. Outputs are local files.
"""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any, BinaryIO, Final, cast

from ...errors import BridgeError, ErrorCode

_MARK: Final = "://"
_LIBRARIES: Final = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss", "adl"), "adlfs"),
    **dict.fromkeys(("http", "https"), "'fsspec[http]'"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    "hf": "huggingface_hub",
}
"""The library that fsspec needs, by the beginning of an address."""
_MAGIC: Final = frozenset("*?[")
_PIECE: Final = 1 << 20
_VERSIONS: Final = ("ETag", "etag", "mtime", "LastModified", "last_modified", "updated", "generation", "sha256")
"""The members of a file's status that differ after it has changed."""


def is_address(path: str) -> bool:
    """Return whether a name is an address."""
    return _MARK in path


def _file_system(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it.

    Raises:
        BridgeError: OCB-DEPENDENCY if a library is missing; OCB-OPTION if the address is of an unknown kind.
    """
    try:
        core = import_module("fsspec.core")
    except ImportError as error:
        what = "addresses need fsspec: pip install 'ocml-convert[remote]'"
        raise BridgeError(ErrorCode.DEPENDENCY, what) from error
    try:
        return core.url_to_fs(address)
    except ImportError as error:
        library = _LIBRARIES.get(address.partition(_MARK)[0])
        more = "" if library is None else f": pip install {library}"
        raise BridgeError(ErrorCode.DEPENDENCY, f"{address}: {error}{more}") from error
    except ValueError as error:
        raise BridgeError(ErrorCode.OPTION, f"{address}: {error}") from error


def found(address: str) -> list[tuple[str, str]]:
    """Return the files of an address, folder or pattern, each with the address that its output path is relative to.

    Raises:
        BridgeError: OCB-IO if there is no file, or if the server refuses; or as `_file_system` raises it.
    """
    system, path = _file_system(address)
    try:
        if _is_pattern(address):
            steps = address.split("/")
            base = "/".join(steps[: next(at for at, step in enumerate(steps) if _MAGIC & set(step))])
            paths = [each for each in system.glob(path) if system.isfile(each)]
        elif system.isdir(path):
            base, paths = address.rstrip("/"), system.find(path)
        else:
            base, paths = address.rpartition("/")[0], [path] if system.exists(path) else []
            return [(address, base) for _ in paths] or _nothing(address)
        root = _file_system(base)[1].rstrip("/")
        return [(f"{base}{each.removeprefix(root)}", base) for each in sorted(paths)] or _nothing(address)
    except BridgeError:
        raise
    except Exception as error:
        raise BridgeError(ErrorCode.IO, f"{address}: {error or type(error).__name__}") from error


def _is_pattern(address: str) -> bool:
    """Return whether an address is a pattern; in an address of the web, a `?` begins the query."""
    return bool(_MAGIC & set(address)) and not address.startswith(("http://", "https://"))


def _nothing(address: str) -> list[tuple[str, str]]:
    raise BridgeError(ErrorCode.IO, f"{address}: there is no such file or folder")


def opened(address: str) -> BinaryIO:
    """Open the file of an address.

    Raises:
        BridgeError: as `_file_system` raises it.
        OSError: if it cannot be opened.
    """
    system, path = _file_system(address)
    try:
        return cast("BinaryIO", io.BufferedReader(system.open(path, "rb"), _PIECE))
    except OSError:
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error


def about(address: str) -> tuple[int, list[str]]:
    """Return the size of a file in bytes (0 if it is not known), and values that differ after it has changed."""
    system, path = _file_system(address)
    try:
        stat = system.info(path)
    except Exception:
        return 0, []
    size = int(stat.get("size") or 0)
    return size, [str(size), *(f"{key}={stat[key]}" for key in _VERSIONS if stat.get(key) is not None)]
