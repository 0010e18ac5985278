"""Building and validating a launches table."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from geoaudit.errors import SchemaError
from geoaudit.launches import schema as s


def build_launches(columns: Mapping[str, object]) -> pd.DataFrame:
    """The launches table of these columns: all columns of the schema, typed, in order of start.

    Args:
        columns: column name -> array, Series or scalar, all of one length; columns that are left
            out are null. Missing values as None, NaN or pandas.NA.

    Returns:
        A validated frame with index 0..n-1, sorted by device and then start (untimed launches
        last of their device, in the order given).

    Raises:
        SchemaError: a column the schema does not know, or values that break its rule.
    """
    unknown = sorted(set(columns) - set(s.BY_NAME))
    if unknown:
        raise SchemaError(f"the launches table has no column named {', '.join(unknown)}")
    given = pd.DataFrame(dict(columns))
    table = pd.DataFrame(
        {
            column.name: typed(given[column.name], column)
            if column.name in given
            else pd.Series(_nulls(column, len(given)), index=given.index)
            for column in s.COLUMNS
        },
        index=given.index,
    )
    table = table.sort_values(
        [s.DEVICE, s.START_NS], kind="stable", na_position="last", ignore_index=True
    )
    validate(table)
    return table


def typed(values: pd.Series, column: s.Column) -> pd.Series:
    """These values in the dtype that the schema gives the column.

    Raises:
        SchemaError: values that are no such thing (text in an integer column, a null or a
            fraction where the schema allows none).
    """
    try:
        if column.type == "integer" and values.dtype == object:
            values = values.astype("Int64")
        if str(values.dtype) != column.pandas_dtype:
            values = values.astype(column.pandas_dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise SchemaError(
            f"launches table: column {column.name}: not {column.type}: {error}"
        ) from error
    if column.type == "text" and str(values.cat.categories.dtype) != "str":
        values = values.cat.set_categories(values.cat.categories.astype("str"), rename=True)
    return values


def validate(table: pd.DataFrame) -> None:
    """Check a table against the schema.

    Raises:
        SchemaError: names the column, the rule and the first bad row.
    """
    names, expected = list(table.columns), [column.name for column in s.COLUMNS]
    if names != expected:
        missing = [name for name in expected if name not in names]
        extra = [name for name in names if name not in expected]
        detail = f"missing {missing}, not in the schema {extra}" if missing or extra else "order"
        raise SchemaError(f"launches table: columns differ from the schema: {detail}")
    for column in s.COLUMNS:
        _validate_column(table[column.name], column)
    kinds = table[s.KIND].cat.categories.difference(pd.Index(s.KINDS))
    if len(kinds):
        _fail(s.KIND, f"one of {', '.join(s.KINDS)}", table[s.KIND].isin(kinds), table[s.KIND])


def _nulls(column: s.Column, length: int) -> object:
    if column.type == "text":
        return pd.Categorical.from_codes(np.full(length, -1), categories=pd.Index([], dtype="str"))
    if column.type == "real":
        return np.full(length, np.nan)
    return pd.array([pd.NA], dtype="Int64").repeat(length)


def _validate_column(values: pd.Series, column: s.Column) -> None:
    if str(values.dtype) != column.pandas_dtype:
        raise SchemaError(
            f"launches table: column {column.name}: dtype {values.dtype}, "
            f"the schema says {column.pandas_dtype}"
        )
    if not column.nullable:
        _require(~values.isna(), values, column.name, "never null")
    if column.minimum is not None:
        within = (values >= column.minimum) | values.isna()
        _require(within, values, column.name, f"at least {column.minimum}")
    if column.maximum is not None:
        within = (values <= column.maximum) | values.isna()
        _require(within, values, column.name, f"at most {column.maximum}")


def _require(holds: pd.Series, values: pd.Series, name: str, rule: str) -> None:
    bad = ~holds.fillna(value=False).astype(bool)
    if bad.any():
        _fail(name, rule, bad, values)


def _fail(name: str, rule: str, bad: pd.Series, values: pd.Series) -> None:
    row = int(bad.to_numpy().argmax())
    raise SchemaError(
        f"launches table: column {name} must be {rule}; first bad row {row}: {values.iloc[row]!r}"
    )
