"""The arguments of a launch, packed once and passed again at every token."""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from geoaudit.manifest.planned import Argument, BufferUse, Scalar

_SCALARS: Mapping[str, Callable[[Any], Any]] = {
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "i64": ctypes.c_int64,
    "u64": ctypes.c_uint64,
    "i32": ctypes.c_int32,
    "u32": ctypes.c_uint32,
    "i8": ctypes.c_int8,
    "u8": ctypes.c_uint8,
}


class PackedArguments:
    """The arguments of one launch, where the driver reads them.

    Attributes:
        pointers: the array of addresses that cuLaunchKernelEx takes.
        depends_on_token: whether `set_token` changes anything.
    """

    __slots__ = ("_changing", "_values", "depends_on_token", "pointers")

    def __init__(self, arguments: Sequence[Argument], address: Callable[[BufferUse], int]) -> None:
        """Pack arguments as they are at token 0.

        Args:
            arguments: in the kernel's order.
            address: the device address of a buffer.
        """
        self._values = [_packed(argument, address) for argument in arguments]
        self._changing = [
            (value, argument)
            for value, argument in zip(self._values, arguments, strict=True)
            if isinstance(argument, Scalar) and argument.depends_on_token
        ]
        self.depends_on_token = bool(self._changing)
        self.pointers = (ctypes.c_void_p * max(1, len(self._values)))(
            *(ctypes.addressof(value) for value in self._values)
        )

    def set_token(self, token: int) -> None:
        """Work the scalars out for a token.

        The driver has copied what earlier launches passed, so these may still run.

        Raises:
            ManifestError: a value cannot be worked out, or does not fit its type.
        """
        for value, scalar in self._changing:
            value.value = scalar.value_at(token)


def _packed(argument: Argument, address: Callable[[BufferUse], int]) -> Any:  # noqa: ANN401
    if isinstance(argument, BufferUse):
        return ctypes.c_uint64(address(argument))
    return _SCALARS[argument.dtype](argument.value)
