"""Ray Data: `Dataset.map_batches`. Extra: `ray`; the workers need this package as well."""

from __future__ import annotations

from typing import Any

from ..bulk import Settings
from .arrow import ROWS, convert_table


def convert_dataset(dataset: Any, column: str, settings: Settings) -> Any:
    """Convert a column of a dataset, lazily. Ray keeps no order between blocks: carry a number along where it matters.

    Args:
        dataset: a `ray.data.Dataset`.
        column: the column that the transcripts stand in.
        settings: how to convert them.

    Returns:
        The dataset with that column converted, and the columns of `hosts.arrow.ADDED`.
    """
    told = {"column": column, "settings": settings}
    return dataset.map_batches(convert_table, batch_format="pyarrow", batch_size=ROWS, fn_kwargs=told)
