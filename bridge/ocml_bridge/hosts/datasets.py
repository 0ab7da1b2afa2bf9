"""Hugging Face `datasets`: `Dataset.map(batched=True)`. Extra: `datasets`."""

from __future__ import annotations

from typing import Any

from ..bulk import Settings
from .arrow import ROWS, convert_table


def convert_dataset(dataset: Any, column: str, settings: Settings, *, processes: int | None = None) -> Any:
    """Convert a column of a dataset; order is kept.

    Args:
        dataset: a `datasets.Dataset`.
        column: the column that the transcripts stand in.
        settings: how to convert them.
        processes: how many processes to use; None for this one.

    Returns:
        The dataset with that column converted, and the columns of `hosts.arrow.ADDED`.
    """
    told = {"column": column, "settings": settings}
    arrow = dataset.with_format("arrow")
    out = arrow.map(convert_table, batched=True, batch_size=ROWS, fn_kwargs=told, num_proc=processes)
    return out.with_format(dataset.format["type"])
