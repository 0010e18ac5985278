import os
from pathlib import Path

import pytest

from geoaudit.errors import InputError
from geoaudit.shardcheck.discovery.survey import survey_tree
from geoaudit.shardcheck.discovery.walking import (
    EXCLUDED,
    HIDDEN,
    IGNORED,
    LINKED,
    VENDORED,
    WalkOptions,
    find_sources,
)


def _tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def _found(
    *paths: Path, exclude: tuple[str, ...] = (), include_vendored: bool = False
) -> list[str]:
    options = WalkOptions(exclude=exclude, include_vendored=include_vendored)
    return [file.path for file in find_sources(paths, options).files]


def test_sources_of_all_languages_by_path(tmp_path: Path) -> None:
    _tree(tmp_path, dict.fromkeys(("b.cu", "a/k.cuh", "a/m.py", "c.hip", "README.md"), ""))
    assert _found(tmp_path) == ["a/k.cuh", "a/m.py", "b.cu", "c.hip"]


def test_manifests_are_known_by_what_they_hold(tmp_path: Path) -> None:
    manifest = "schema_version = 1\n[kernels.norm]\n"
    _tree(tmp_path, {"suite.toml": manifest, "a/pyproject.toml": "[project]\n", "k.cu": ""})
    assert _found(tmp_path) == ["k.cu", "suite.toml"]
    assert find_sources([tmp_path], WalkOptions()).skipped == {}
    assert _found(tmp_path / "suite.toml") == ["suite.toml"]
    with pytest.raises(InputError, match="manifests of geoaudit"):
        _found(tmp_path / "a" / "pyproject.toml")


def test_nested_ignore_files_and_the_repositorys_own_exclude(tmp_path: Path) -> None:
    _tree(
        tmp_path,
        {
            ".git/info/exclude": "secret.cu\n",
            ".gitignore": "build/\n*.py\n!kept.py\n",
            "secret.cu": "",
            "a.cu": "",
            "b.py": "",
            "kept.py": "",
            "build/c.cu": "",
            "csrc/.gitignore": "/generated*\n!b.py\n[\n",
            "csrc/generated.cu": "",
            "csrc/b.py": "",
            "csrc/sub/generated.cu": "",
        },
    )
    expected = ["a.cu", "csrc/b.py", "csrc/sub/generated.cu", "kept.py"]
    assert _found(tmp_path) == expected
    assert _found(tmp_path / "csrc") == ["b.py", "sub/generated.cu"]
    tree = find_sources([tmp_path], WalkOptions())
    assert tree.skipped == {HIDDEN: 1, IGNORED: 4}


def test_outside_of_a_repository_files_above_do_not_count(tmp_path: Path) -> None:
    _tree(tmp_path, {".gitignore": "*.cu\n", "in/a.cu": ""})
    assert _found(tmp_path / "in") == ["a.cu"]


def test_other_peoples_code_is_counted_and_left_out(tmp_path: Path) -> None:
    _tree(
        tmp_path,
        {
            ".gitmodules": '[submodule "x"]\n\tpath = libs/x\n\turl = https://example.org/x\n',
            "libs/x/a.cu": "",
            "libs/x/b/c.cu": "",
            "libs/own.cu": "",
            "third_party/t.h": "",
            "cutlass/include/cutlass/cutlass.h": "",
            "csrc/cutlass/own.cu": "",
            "nested/.git": "gitdir: ../x\n",
            "nested/n.cu": "",
            "env/pyvenv.cfg": "",
            "env/lib/e.py": "",
        },
    )
    tree = find_sources([tmp_path], WalkOptions())
    assert [file.path for file in tree.files] == ["csrc/cutlass/own.cu", "libs/own.cu"]
    assert tree.skipped == {VENDORED: 6}
    assert len(_found(tmp_path, include_vendored=True)) == 8
    assert _found(tmp_path / "third_party") == ["t.h"]


def test_exclude_is_relative_to_the_root(tmp_path: Path) -> None:
    _tree(tmp_path, {"a/x.cu": "", "b/x.cu": "", "tests/t.py": ""})
    assert _found(tmp_path, exclude=("/a/*.cu", "tests/")) == ["b/x.cu"]
    tree = find_sources([tmp_path], WalkOptions(exclude=("tests/",)))
    assert tree.skipped == {EXCLUDED: 1}


def test_links_are_followed_out_of_the_tree_alone(tmp_path: Path) -> None:
    outside = _tree(tmp_path / "outside", {"o.cu": ""})
    root = _tree(tmp_path / "root", {"a.cu": ""})
    (root / "again.cu").symlink_to(root / "a.cu")
    (root / "loop").symlink_to(root)
    (root / "up").symlink_to(tmp_path)
    (root / "gone.cu").symlink_to(root / "nothing.cu")
    (root / "out").symlink_to(outside)
    (outside / "back").symlink_to(outside)
    tree = find_sources([root], WalkOptions())
    assert [file.path for file in tree.files] == [str(outside / "o.cu"), "a.cu"]
    assert tree.skipped[LINKED] == 4


def test_several_paths_have_their_common_folder_as_root(tmp_path: Path) -> None:
    _tree(tmp_path, {"a/x.cu": "", "b/y.cu": "", "b/z.py": ""})
    assert _found(tmp_path / "a", tmp_path / "b" / "y.cu") == ["a/x.cu", "b/y.cu"]
    assert _found(tmp_path / "b" / "y.cu") == ["y.cu"]


def test_a_path_that_is_not_there_or_no_source(tmp_path: Path) -> None:
    _tree(tmp_path, {"README.md": ""})
    with pytest.raises(InputError, match="no such file"):
        _found(tmp_path / "nothing")
    with pytest.raises(InputError, match="not a source"):
        _found(tmp_path / "README.md")


def test_a_folder_that_cannot_be_read_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tree(tmp_path, {"a.cu": "", "private/b.cu": ""})
    look, scan = Path.stat, os.scandir

    def stat(path: Path, **options: bool) -> os.stat_result:
        if path.parent.name == "private":
            raise PermissionError(13, "Permission denied")
        return look(path, **options)

    def scandir(location: str) -> "os._ScandirIterator[str]":
        if location.endswith("private"):
            raise PermissionError(13, "Permission denied")
        return scan(location)

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr(os, "scandir", scandir)
    tree = find_sources([tmp_path], WalkOptions())
    assert [file.path for file in tree.files] == ["a.cu"]
    assert tree.refused == {"private": "folder cannot be read: Permission denied"}
    assert survey_tree(tree).refused == tree.refused
