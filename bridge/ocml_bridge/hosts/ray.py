"""Ray Data: `Dataset.map_batches`. Extra: `ray`; the workers need this package as well."""

from __future__ import annotations

from typing import Any

from ..bulk import Settings
from ..layouts import Plan
from .arrow import ADDED, ROWS, Added, check, convert_table


def convert_dataset(
    dataset: Any, column: str, settings: Settings, *, added: Added = ADDED, plan: Plan | None = None
) -> Any:
    """Convert a column of a dataset, lazily. Ray keeps no order between blocks: carry a number along where it matters.

    Args:
        dataset: a `ray.data.Dataset`.
        column: the column that the transcripts stand in.
        settings: how to convert them.
        added: the names of the columns that are added.
        plan: what rows are; then `column` is the one that outputs are written to, beside all that there are.

    Returns:
        The dataset with that column converted, and the columns of `added`.

    Raises:
        BridgeError: as `hosts.arrow.check`, before a record is read where the columns are known.
    """
    schema = dataset.schema(fetch_if_missing=False)
    if schema is not None:
        check(schema.names, column, settings, added, plan)
    arguments = {"column": column, "settings": settings, "added": added, "plan": plan}
    return dataset.map_batches(convert_table, batch_format="pyarrow", batch_size=ROWS, fn_kwargs=arguments)
