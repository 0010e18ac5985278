"""What the suite needs of CuPy: compiled code, memory and a stream."""

# ruff: noqa: ANN401 - CuPy is untyped

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.manifest.planned import Module, ModuleKey
from geoaudit.recording.suite.driver import CudaDriver
from geoaudit.recording.suite.driver_kernel import Stream
from geoaudit.recording.suite.entries import listed, named
from geoaudit.recording.suite.headers import header_digest
from geoaudit.recording.suite.presence import cuda_major

STANDARD = "-std=c++17"
SHOWN_LOG_LINES = 8
FLUSH_DENORMALS = "-ftz=true"
"""What CuPy adds for its modules and not for `compile_using_nvrtc`."""
ELF = b"\x7fELF"


@dataclass(frozen=True, kw_only=True)
class CompiledModule:
    """The machine code of a module.

    Attributes:
        code: a cubin.
        names: entry -> the kernel's name in it, of template instances.
    """

    code: bytes
    names: Mapping[str, str]


class Allocation(Protocol):
    """Device memory that lives as long as this object."""

    @property
    def ptr(self) -> int:
        """Its address."""


class Runtime(Protocol):
    """Code, memory and a stream on one device."""

    @property
    def driver(self) -> CudaDriver:
        """What launches."""

    @property
    def stream(self) -> Stream:
        """What is launched on."""

    def load(self, module: Module) -> Mapping[str, int]:
        """The driver's handles of a module's kernels, by entry."""

    def compiler(self) -> str:
        """What sources are compiled by, and for which device: other words, other code."""

    def compiled(self, module: Module) -> CompiledModule | None:
        """A module's machine code; None where it is not to be had."""

    def allocate(self, size_bytes: int) -> Allocation:
        """Device memory, aligned for any type."""

    def free_bytes(self) -> int:
        """Device memory that is free."""


class CupyRuntime:
    """The runtime of CuPy's current device.

    Memory comes from the driver and not from CuPy's pool, which would hide accesses outside of a
    buffer from compute-sanitizer.
    """

    def __init__(self) -> None:
        """Bring the device up.

        Raises:
            NotMeasuredError: CuPy is missing, or cannot use the device.
        """
        self.cupy = import_cupy()
        try:
            self.stream: Any = self.cupy.cuda.Stream(non_blocking=True)
        except self.cupy.cuda.runtime.CUDARuntimeError as error:
            raise NotMeasuredError(f"CuPy cannot use the CUDA device: {error}.") from error
        self.driver = CudaDriver()
        # A handle is good while its module is loaded.
        self._kernels: list[Any] = []

    def load(self, module: Module) -> Mapping[str, int]:
        """The driver's handles of a module's kernels, by entry; compiled ones are cached by CuPy.

        Raises:
            InputError: the file cannot be read, compiled or loaded, or lacks a kernel; names it.
            NotMeasuredError: CuPy has no compiler.
        """
        raw = self._raw_module(module)
        handles = {}
        for entry in module.entries:
            handles[entry] = self._handle(raw, module.key, entry)
        return handles

    def compiler(self) -> str:
        """What sources are compiled by, and for which device: other words, other code."""
        major, minor = self.cupy.cuda.nvrtc.getVersion()
        capability = self.cupy.cuda.Device().compute_capability
        return f"CuPy {self.cupy.__version__}, NVRTC {major}.{minor} for {capability}"

    def compiled(self, module: Module) -> CompiledModule | None:
        """A module's machine code: a cubin's own, or that of a source compiled once more.

        CuPy does not give away what it loaded. Its options are taken from where CuPy's own modules
        get them, so that the code is the same.

        Returns:
            None: the binary holds no or several codes, or this CuPy compiles in another way.

        Raises:
            InputError: the file cannot be read.
            NotMeasuredError: it cannot be compiled.
        """
        key = module.key
        if key.kind == "cubin":
            return CompiledModule(code=Path(key.file).read_bytes(), names={})
        if key.kind != "source":
            return None
        compiler = self.cupy.cuda.compiler
        templates = tuple(entry for entry in module.entries if "<" in entry)
        try:
            assemble = self.cupy._core.core.assemble_cupy_compiler_options
            code, names = compiler.compile_using_nvrtc(
                _source(key.file),
                (*assemble(compile_options(key)), FLUSH_DENORMALS),
                name_expressions=templates or None,
            )
        except (AttributeError, TypeError):
            return None
        except (OSError, RuntimeError, compiler.CompileException) as error:
            raise NotMeasuredError(f"CuPy cannot compile {key.file}: {error}.") from error
        if not isinstance(code, bytes) or not code.startswith(ELF):
            return None
        # CuPy takes the last byte of a binary for the end of a text (14.2).
        return CompiledModule(code=code + b"\0", names=names or {})

    def allocate(self, size_bytes: int) -> Allocation:
        """Device memory, zeroed by nobody.

        Raises:
            NotMeasuredError: there is not so much.
        """
        cuda = self.cupy.cuda
        try:
            memory: Allocation = cuda.Memory(max(1, size_bytes))
        except (cuda.runtime.CUDARuntimeError, cuda.memory.OutOfMemoryError) as error:
            raise NotMeasuredError(
                f"no device memory for a buffer of {size_bytes:,} bytes: {error}. Give smaller "
                "symbols with --set."
            ) from error
        return memory

    def free_bytes(self) -> int:
        """Device memory that is free."""
        return int(self.cupy.cuda.runtime.memGetInfo()[0])

    def view(self, allocation: Allocation, elements: int, dtype: Any) -> Any:
        """A cupy.ndarray of the first elements of an allocation, without a copy."""
        pointer = self.cupy.cuda.MemoryPointer(allocation, 0)
        return self.cupy.ndarray((elements,), dtype=dtype, memptr=pointer)

    def _raw_module(self, module: Module) -> Any:
        key = module.key
        if key.kind != "source":
            return self.cupy.RawModule(path=key.file)
        templates = [entry for entry in module.entries if "<" in entry]
        return self.cupy.RawModule(
            code=_source(key.file),
            options=compile_options(key),
            name_expressions=templates or None,
        )

    def _handle(self, raw: Any, key: ModuleKey, entry: str) -> int:
        cuda = self.cupy.cuda
        try:
            kernel = raw.get_function(entry)
            handle = int(kernel.kernel.ptr)
        except cuda.compiler.CompileException as error:
            raise InputError(f"{key.file}: NVRTC refuses it:", _log(str(error))) from error
        except cuda.driver.CUDADriverError as error:
            if "NOT_FOUND" not in str(error) and "not found" not in str(error):
                raise InputError(
                    f"{key.file}: cannot be loaded: {error}. Build it for this device and driver."
                ) from error
            return self._handle(raw, key, self._only_one_named(raw, key, entry))
        except (OSError, RuntimeError) as error:
            # What CuPy raises where NVRTC or the toolkit's headers are not there.
            raise NotMeasuredError(
                f"CuPy cannot compile {key.file}: {error}. Install it with the toolkit's parts: "
                f"{_installation()}"
            ) from error
        self._kernels.append(kernel)
        return handle

    def _only_one_named(self, raw: Any, key: ModuleKey, entry: str) -> str:
        """The whole name of the kernel that an entry names in part.

        Raises:
            InputError: it names none, or several; lists those of the file.
        """
        if key.kind == "source":
            raise InputError(
                f'{key.file}: has no kernel {entry}. Declare it extern "C", or write entry as a '
                "template instance or its mangled name."
            )
        names = self.driver.kernel_names(int(raw.module.ptr))
        if names is None:
            raise InputError(
                f"{key.file}: has no kernel {entry}. Write entry as the mangled name, which "
                "cuobjdump -symbols shows; drivers from CUDA 12.4 on know it by its own name."
            )
        found = named(names, entry)
        if len(found) == 1 and found[0] != entry:
            return found[0]
        raise InputError(
            f"{key.file}: has {len(found) or 'no'} kernels named {entry}. Write one of its "
            "kernels, with its template arguments:",
            listed(found or names, entry),
        )


def import_cupy() -> Any:
    """The module cupy.

    Raises:
        NotMeasuredError: it is not installed, or does not load; says how to mend it.
    """
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise NotMeasuredError(
            f"there is a CUDA device here, and CuPy cannot be imported ({error}). Install it: "
            f"{_installation()}"
        ) from error


def _installation() -> str:
    """The command that installs CuPy for this machine's driver."""
    return f"pip install 'geoaudit[cuda{cuda_major() or 13}]'"


def compile_options(key: ModuleKey) -> tuple[str, ...]:
    """The options that NVRTC is given for a source."""
    standard = () if any(option.startswith("-std") for option in key.options) else (STANDARD,)
    source = Path(key.file)
    defines = [f"-D{name}={value}" for name, value in key.defines]
    digest = header_digest(source)
    if digest is not None:
        defines.append(f"-DGEOAUDIT_HEADERS=0x{digest}")
    return (*standard, f"-I{source.parent.resolve()}", *key.options, *defines)


def _source(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from error


def _log(text: str) -> list[str]:
    """The first errors of a compiler's log, which may hold a thousand that follow from them."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line] or lines
    return errors[:SHOWN_LOG_LINES]
