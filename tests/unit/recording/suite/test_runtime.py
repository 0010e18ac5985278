"""What is asked of CuPy, and what is said where it refuses."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.manifest.model import CodeKind
from geoaudit.manifest.planned import Module, ModuleKey
from geoaudit.recording.suite import runtime
from geoaudit.recording.suite.driver import CudaDriver
from geoaudit.recording.suite.runtime import CupyRuntime, compile_options, import_cupy
from tests.unit.recording.suite.fake_device import FakeLibrary


class CompileError(Exception):
    """As cupy.cuda.compiler.CompileException."""


class RuntimeRefusal(RuntimeError):
    """As cupy.cuda.runtime.CUDARuntimeError."""


class DriverRefusal(RuntimeError):
    """As cupy.cuda.driver.CUDADriverError."""


class FakeCupy(ModuleType):
    """As much of CuPy as the suite uses; `modules` are what it was asked to make."""

    def __init__(self) -> None:
        super().__init__("cupy")
        self.modules: list[dict[str, Any]] = []
        self.error: Exception | None = None
        self.library = FakeLibrary()
        self.RawModule = self._raw_module
        self.cuda = SimpleNamespace(
            Stream=lambda non_blocking: SimpleNamespace(ptr=7),
            Memory=self._memory,
            compiler=SimpleNamespace(CompileException=CompileError),
            driver=SimpleNamespace(CUDADriverError=DriverRefusal),
            runtime=SimpleNamespace(CUDARuntimeError=RuntimeRefusal, memGetInfo=lambda: (10, 20)),
            memory=SimpleNamespace(OutOfMemoryError=MemoryError),
        )

    def _raw_module(self, **options: Any) -> SimpleNamespace:  # noqa: ANN401 - CuPy's own
        self.modules.append(options)

        def get_function(name: str) -> SimpleNamespace:
            if self.error and name not in self.library.kernels:
                raise self.error
            return SimpleNamespace(kernel=SimpleNamespace(ptr=len(name)))

        return SimpleNamespace(get_function=get_function, module=SimpleNamespace(ptr=3))

    def _memory(self, size: int) -> SimpleNamespace:
        if self.error:
            raise self.error
        return SimpleNamespace(ptr=size)


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> FakeCupy:
    fake = FakeCupy()
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.setattr(runtime, "CudaDriver", lambda: CudaDriver(fake.library))
    return fake


def module(file: Path, *entries: str, kind: CodeKind = "source") -> Module:
    key = ModuleKey(kind=kind, file=str(file), options=("-lineinfo",), defines=(("TILE", 32),))
    return Module(key=key, entries=entries)


def test_a_source_is_compiled_with_its_options_folder_and_macros(
    cupy: FakeCupy, tmp_path: Path
) -> None:
    source = tmp_path / "k.cu"
    source.write_text("// code")
    handles = CupyRuntime().load(module(source, "norm", "tile<32>"))
    assert handles == {"norm": 4, "tile<32>": 8}
    assert cupy.modules == [
        {
            "code": "// code",
            "options": ("-std=c++17", f"-I{tmp_path}", "-lineinfo", "-DTILE=32"),
            "name_expressions": ["tile<32>"],
        }
    ]


def test_a_changed_header_is_compiled_anew_and_an_unrelated_file_is_not(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text('#include <cuda_fp16.h>\n  # include "parts/a.cuh"\n#include "gone.h"\n')
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.cuh").write_text('#include "b.cuh"\n#include "parts/a.cuh"\n')
    (tmp_path / "parts" / "b.cuh").write_text("int n = 1;")
    key = ModuleKey(kind="source", file=str(source), options=(), defines=())

    before = compile_options(key)
    assert [option for option in before if option.startswith("-DGEOAUDIT_HEADERS=0x")]
    (tmp_path / "parts" / "c.cuh").write_text("int n = 2;")
    assert compile_options(key) == before
    (tmp_path / "parts" / "b.cuh").write_text("int n = 2;")
    assert compile_options(key) != before


def test_a_chosen_standard_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text("")
    key = ModuleKey(kind="source", file=str(source), options=("-std=c++20",), defines=())
    assert [option for option in compile_options(key) if "-std" in option] == ["-std=c++20"]


@pytest.mark.parametrize("kind", ["cubin", "fatbin", "ptx"])
def test_a_ready_binary_is_loaded_by_its_path(
    cupy: FakeCupy, tmp_path: Path, kind: CodeKind
) -> None:
    file = tmp_path / "k.bin"
    assert CupyRuntime().load(module(file, "norm", kind=kind)) == {"norm": 4}
    assert cupy.modules == [{"path": str(file)}]


def test_what_the_compiler_says_is_told_without_what_follows_from_it(
    cupy: FakeCupy, tmp_path: Path
) -> None:
    source = tmp_path / "k.cu"
    source.write_text("x")
    cupy.error = CompileError("note: one\nk.cu(3): error: bad\n" + "k.cu(4): error: more\n" * 50)
    with pytest.raises(InputError) as refused:
        CupyRuntime().load(module(source, "norm"))
    assert str(refused.value) == f"{source}: NVRTC refuses it:"
    assert refused.value.details[0] == "k.cu(3): error: bad"
    assert len(refused.value.details) == runtime.SHOWN_LOG_LINES


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("CUDA_ERROR_NOT_FOUND: symbol not found", "has no kernels named norm."),
        ("CUDA_ERROR_NO_BINARY_FOR_GPU", "cannot be loaded: CUDA_ERROR_NO_BINARY_FOR_GPU. Build"),
    ],
)  # fmt: skip
def test_a_missing_kernel_and_a_foreign_binary_are_told_apart(
    cupy: FakeCupy, tmp_path: Path, error: str, told: str
) -> None:
    cupy.error = DriverRefusal(error)
    with pytest.raises(InputError, match=r"k\.cubin") as refused:
        CupyRuntime().load(module(tmp_path / "k.cubin", "norm", kind="cubin"))
    assert told in str(refused.value)


SCALES = ["_Z5scaleILi32EEvPf", "_Z5scaleILi8EEvPf", "offset"]


def test_a_kernel_of_a_ready_binary_has_the_name_of_its_source(
    cupy: FakeCupy, tmp_path: Path
) -> None:
    cupy.error = DriverRefusal("CUDA_ERROR_NOT_FOUND: named symbol not found")
    cupy.library.kernels = SCALES
    file = tmp_path / "k.cubin"
    assert CupyRuntime().load(module(file, "scale<32>", kind="cubin")) == {"scale<32>": 18}
    with pytest.raises(InputError) as refused:
        CupyRuntime().load(module(file, "scale", kind="cubin"))
    assert "has 2 kernels named scale." in str(refused.value)
    assert refused.value.details == ("void scale<32>(float*)", "void scale<8>(float*)")
    with pytest.raises(InputError) as refused:
        CupyRuntime().load(module(file, "offsets", kind="cubin"))
    assert "has no kernels named offsets." in str(refused.value)
    assert refused.value.details == ("offset", "and 2 more")


def test_an_older_driver_does_not_know_a_binarys_kernels(cupy: FakeCupy, tmp_path: Path) -> None:
    cupy.error = DriverRefusal("CUDA_ERROR_NOT_FOUND: named symbol not found")
    cupy.library.__class__ = type("OlderLibrary", (FakeLibrary,), {"cuFuncGetName": property()})
    cupy.library.kernels = SCALES
    with pytest.raises(InputError, match=r"has no kernel scale<32>\. Write entry as the mangled"):
        CupyRuntime().load(module(tmp_path / "k.cubin", "scale<32>", kind="cubin"))


def test_a_kernel_that_a_source_lacks_is_told(cupy: FakeCupy, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("x")
    cupy.error = DriverRefusal("CUDA_ERROR_NOT_FOUND: named symbol not found")
    with pytest.raises(InputError, match='has no kernel norm. Declare it extern "C"'):
        CupyRuntime().load(module(tmp_path / "k.cu", "norm"))


@pytest.mark.parametrize("error", [RuntimeError("no libnvrtc.so.13"), OSError("no headers")])
def test_a_missing_compiler_is_told_with_the_fix(
    cupy: FakeCupy, tmp_path: Path, error: Exception
) -> None:
    (tmp_path / "k.cu").write_text("x")
    cupy.error = error
    with pytest.raises(NotMeasuredError, match=rf"k\.cu: {error}.*pip install 'geoaudit\[cuda"):
        CupyRuntime().load(module(tmp_path / "k.cu", "norm"))


def test_a_source_that_is_gone_is_named(cupy: FakeCupy, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.cu: cannot be read"):
        CupyRuntime().load(module(tmp_path / "gone.cu", "norm"))


def test_memory(cupy: FakeCupy) -> None:
    device = CupyRuntime()
    assert device.allocate(100).ptr == 100
    assert device.free_bytes() == 10
    for error in (RuntimeRefusal("out of memory"), MemoryError("out of memory")):
        cupy.error = error
        with pytest.raises(NotMeasuredError, match=r"1,000 bytes: out of memory.*--set"):
            device.allocate(1000)


def test_a_device_that_cupy_cannot_use_is_told(cupy: FakeCupy) -> None:
    def refused(**_: object) -> None:
        raise RuntimeRefusal("cudaErrorInsufficientDriver")

    cupy.cuda.Stream = refused
    with pytest.raises(NotMeasuredError, match="cannot use the CUDA device: cudaErrorInsuff"):
        CupyRuntime()


@pytest.mark.parametrize(("major", "extra"), [(12, "cuda12"), (13, "cuda13"), (None, "cuda13")])
def test_without_cupy_the_fix_is_told(
    monkeypatch: pytest.MonkeyPatch, major: int | None, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr(runtime, "cuda_major", lambda: major)
    with pytest.raises(NotMeasuredError, match=rf"pip install 'geoaudit\[{extra}\]'"):
        import_cupy()
