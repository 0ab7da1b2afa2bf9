"""Hugging Face `datasets`: `map(batched=True)`. Extra: `datasets`."""

from __future__ import annotations

from typing import Any, cast

from ..bulk import Settings
from ..bulk.containers.compression import library
from ..layouts import Plan
from .arrow import ADDED, ROWS, Added, check, convert_table


def convert_dataset(
    dataset: Any,
    column: str,
    settings: Settings,
    *,
    processes: int | None = None,
    added: Added = ADDED,
    plan: Plan | None = None,
) -> Any:
    """Convert a column of a dataset, or of each split of several; order is kept.

    Args:
        dataset: a `Dataset`, an `IterableDataset` (streaming, converted as it is read), or a dictionary of either.
        column: the column that the transcripts stand in.
        settings: how to convert them.
        processes: how many processes to use; None for this one. A streaming dataset has its loader's.
        added: the names of the columns that are added.
        plan: what rows are; then `column` is the one that outputs are written to, beside all that there are.

    Returns:
        The same kind of thing with that column converted, and the columns of `added`.

    Raises:
        BridgeError: as `hosts.arrow.check`, before a record is read where the columns are known.
    """
    if isinstance(dataset, dict):
        splits = cast("dict[str, Any]", dataset)
        made = {
            name: convert_dataset(split, column, settings, processes=processes, added=added, plan=plan)
            for name, split in splits.items()
        }
        return type(splits)(made)
    if dataset.column_names is not None:
        check(dataset.column_names, column, settings, added, plan)
    arguments = {"column": column, "settings": settings, "added": added, "plan": plan}
    arrow = dataset.with_format("arrow")
    if isinstance(dataset, library("datasets", "datasets").IterableDataset):
        return arrow.map(convert_table, batched=True, batch_size=ROWS, fn_kwargs=arguments).with_format(None)
    out = arrow.map(convert_table, batched=True, batch_size=ROWS, fn_kwargs=arguments, num_proc=processes)
    return out.with_format(dataset.format["type"])
