"""Many launches at once: rows of text with three figures added to each."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from geoaudit.devices.spec import DeviceSpec
from geoaudit.errors import GeoauditError, InputError
from geoaudit.geometry.shape import LaunchShape
from geoaudit.geometry.what_if import calculate

REQUIRED_COLUMNS = (
    "registers_per_thread",
    "static_shared_bytes",
    "dynamic_shared_bytes",
    "block_threads",
)
OPTIONAL_COLUMNS = ("grid_blocks", "cluster_blocks", "device")
ADDED_COLUMNS = ("resident_blocks_per_sm", "limiter", "theoretical_occupancy")
_LARGEST_GRID_X = 2**31 - 1
# No figure of a launch is longer; int() refuses texts of thousands of digits.
_MOST_DIGITS = 18

Figure = str | int | float | None


@dataclass(frozen=True, kw_only=True)
class BatchRow:
    """One row of launches.

    Attributes:
        where: where it stands, for an error.
        cells: column -> text.
    """

    where: str
    cells: Mapping[str, str]

    def whole_number(self, column: str) -> int:
        """The cell as a whole number of 0 or more.

        Raises:
            InputError: it is none.
        """
        text = self.cells[column].strip()
        if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
            raise self.error(column, f"{text[:40]!r} is not a whole number of 0 or more")
        return int(text)

    def optional_number(self, column: str) -> int | None:
        """The same; None where there is no such column or the cell is empty."""
        return self.whole_number(column) if self.cells.get(column, "").strip() else None

    def error(self, column: str, what: str) -> InputError:
        """An error that says where in the rows it is."""
        return InputError(f"{self.where}, column {column}: {what}.")


@dataclass(frozen=True, kw_only=True)
class BatchResult:
    """The given columns and rows in their order, with ``ADDED_COLUMNS`` at the end."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Figure], ...]


def calculate_batch(
    columns: tuple[str, ...],
    rows: Iterable[BatchRow],
    find_device: Callable[[str], DeviceSpec],
    default_device: Callable[[], DeviceSpec],
) -> BatchResult:
    """Resident blocks, limiter and theoretical occupancy of every row.

    Args:
        columns: ``REQUIRED_COLUMNS``, maybe ``OPTIONAL_COLUMNS``, and any others.
        rows: with a cell for each column.
        find_device: device by name.
        default_device: device of the rows that name none; asked only where there are such rows.

    Raises:
        InputError: names row and column of the first cell that cannot be used.
    """
    find_cached, default_cached = cache(find_device), cache(default_device)

    def device_of(row: BatchRow) -> DeviceSpec:
        name = row.cells.get("device", "").strip()
        try:
            return find_cached(name) if name else default_cached()
        except GeoauditError as error:
            raise row.error("device", str(error).rstrip(".")) from error

    return BatchResult(
        columns=(*columns, *ADDED_COLUMNS),
        rows=tuple({**row.cells, **_figures(row, device_of(row))} for row in rows),
    )


def _figures(row: BatchRow, device: DeviceSpec) -> dict[str, Figure]:
    geometry = calculate(_shape(row), device).geometry
    figures = (
        geometry.resident_blocks_per_sm,
        geometry.limiter,
        geometry.theoretical_occupancy,
    )
    return dict(zip(ADDED_COLUMNS, figures, strict=True))


def _shape(row: BatchRow) -> LaunchShape:
    grid_blocks = row.optional_number("grid_blocks")
    cluster_blocks = row.optional_number("cluster_blocks")
    # A product of three dimensions may be larger than any one of them may be.
    has_grid = grid_blocks is not None and grid_blocks <= _LARGEST_GRID_X
    return LaunchShape(
        grid=(grid_blocks, 1, 1) if grid_blocks is not None and has_grid else None,
        block=(row.whole_number("block_threads"), 1, 1),
        cluster=(cluster_blocks, 1, 1) if cluster_blocks else None,
        registers_per_thread=row.whole_number("registers_per_thread"),
        static_shared_bytes=row.whole_number("static_shared_bytes"),
        dynamic_shared_bytes=row.whole_number("dynamic_shared_bytes"),
    )
