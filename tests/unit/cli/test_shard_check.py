"""`geoaudit shard-check` on the example engine, through the command line."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from geoaudit.cli.main import main

ENGINE = Path(__file__).parents[2] / "fixtures" / "shard_engine"
HEADS = ("--dim", "n_head=96:tp", "--set", "head_dim=128")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example engine with no settings, and a cache of its own."""
    folder = tmp_path / "engine"
    shutil.copytree(ENGINE, folder)
    (folder / "geoaudit.toml").unlink()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["shard-check", *map(str, arguments)])


def _document(*arguments: object) -> dict[str, list[dict[str, object]]]:
    result = _run(*arguments, "--format", "json", "--fail-on", "none")
    assert result.exit_code == 0, result.output
    document: dict[str, list[dict[str, object]]] = json.loads(result.stdout)
    return document


def _behaviours(document: dict[str, list[dict[str, object]]]) -> dict[object, object]:
    return {site["kernel"]: site["verdict"] for site in document["sites"]}


def test_siblings_of_one_dimension_are_found_together(engine: Path) -> None:
    behaviours = _behaviours(_document(engine, *HEADS))
    assert behaviours["decode_step"] == "collapses"
    assert behaviours["decode_step_tiled"] == "collapses"
    assert behaviours["conv_fused"] == "collapses"
    assert behaviours["attend_split"] == "compensated"
    assert behaviours["rms_norm"] == "independent"


def test_a_size_that_no_grid_has_is_told(engine: Path) -> None:
    told = _run(engine, *HEADS, "--dim", "heds=96:tp", "--set", "width=3").output
    assert "--dim heds: no grid of these sources is made of it" in told
    assert "--set width: no grid" in told
    assert "--dim n_head: no grid" not in told


def test_settings_outside_of_their_table_are_told(engine: Path) -> None:
    (engine / "pyproject.toml").write_text('[tool.geoaudit]\ndim = ["n_head=96:tp"]\n')
    result = _run(engine)
    assert result.exit_code == 2
    assert "[tool.geoaudit.shard-check]" in result.stderr


def test_findings_end_with_1_and_what_is_named_alone_counts(engine: Path) -> None:
    assert _run(engine, *HEADS).exit_code == 1
    assert "GA401 sharded-grid-collapses" in _run(engine, *HEADS, "--fail-on", "GA401").stderr
    assert _run(engine, *HEADS, "--fail-on", "grid-limit").exit_code == 0
    assert _run(engine, *HEADS, "--fail-on", "none").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fail-on", "starved"], "only a recording has that"),
        (["--shard", "tp=8"], "two numbers of ranks"),
        (["--shard", "tp=1,2", "--shard", "ep=1,2,4"], "tp=1,2 and ep=1,2,4: one kind"),
        (["--set", "n=99999999999999999999999"], "NAME=NUMBER"),
        (["--fail-on", "GA999"], "neither a rule"),
        (["--dim", "n_head=many"], "--dim"),
        (["--shard", "tp"], "--shard"),
        (["--set", "head_dim"], "--set"),
        (["--device", "H9000"], "not in the device table"),
        (["--model", "nothing.json"], "nothing.json"),
        (["--show", "fast"], "--show"),
        (["--baseline", "nothing.json"], "nothing.json"),
        (["--explain", "csrc/decode.cu"], "FILE:LINE"),
        (["--explain", "csrc/decode.cu:1"], "nearest launches"),
        (["--explain", "csrc/other.cu:1"], "no launch is in this file"),
        (["--exclude", "*"], "no source to read"),
        (["--output", "pdf=x"], "FORMAT=FILE"),
    ],
)
def test_what_cannot_be_used_ends_with_2(engine: Path, arguments: list[str], said: str) -> None:
    result = _run(engine, *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_every_format_is_written_in_one_run(engine: Path, tmp_path: Path) -> None:
    formats = ("json", "csv", "markdown", "sarif", "html", "table")
    outputs = [f"--output={one}={tmp_path / one}" for one in formats]
    assert _run(engine, *HEADS, *outputs, "-o", tmp_path / "o").exit_code == 1
    assert all("conv_fused" in (tmp_path / one).read_text("utf-8") for one in (*formats, "o"))


def test_explain_shows_the_derivation(engine: Path) -> None:
    line = next(
        site["line"]
        for site in _document(engine, *HEADS)["sites"]
        if site["kernel"] == "attend_split"
    )
    result = _run(engine, *HEADS, "--explain", f"csrc/decode.cu:{line}")
    assert result.exit_code == 0
    assert "kSplitBudget" in result.stdout
    assert "derivation from the launch" in result.stdout


def test_a_second_run_says_the_same_from_the_cache(
    engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _document(engine, *HEADS)
    with monkeypatch.context() as context:
        context.setattr("geoaudit.shardcheck.check.check", None)
        assert _document(engine, *HEADS) == first
    source = engine / "csrc" / "decode.cu"
    source.write_text(source.read_text("utf-8").replace("dim3(n_head, 3)", "dim3(n_head, 40)"))
    assert _behaviours(_document(engine, *HEADS))["conv_fused"] == "shrinks"


def test_a_baseline_holds_what_is_known(engine: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    assert _run(engine, *HEADS, "--write-baseline", known).exit_code == 0
    source = engine / "csrc" / "decode.cu"
    source.write_text("// another line\n" + source.read_text("utf-8"))
    assert _run(engine, *HEADS, "--baseline", known).exit_code == 0
    more = "\nvoid more(int n_head, float* o) { conv_fused<<<n_head, 32>>>(o, o); }\n"
    source.write_text(source.read_text("utf-8") + more)
    result = _run(engine, *HEADS, "--baseline", known)
    assert result.exit_code == 1
    assert "1 finding" in result.stderr


def test_settings_above_the_first_path(engine: Path) -> None:
    (engine / "pyproject.toml").write_text(
        '[tool.geoaudit.shard-check]\ndim = ["n_head=96:tp"]\nset = { head_dim = 128 }\n'
        'fail-on = ["GA405"]\nexclude = ["engine/"]\ndevice = "H100"\nbatch = 1\n'
    )
    result = _run(engine / "csrc", "--show", "collapses")
    assert result.exit_code == 0, result.output
    assert "H100" in result.stdout
    assert _run(engine / "csrc", "--fail-on", "warning").exit_code == 1
    assert "H200" in _run(engine, "--device", "H200").stdout
    assert "expert_gemv" not in _run(engine, "--all").stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[shard-check]\ndevice = 'H100'\nexlude = []\n", "geoaudit.toml:3: exlude: no such"),
        ("[shard-check]\n\ndim = [1]\n", "geoaudit.toml:3: dim: give a list"),
        ("[shard-check]\nbatch = 0\n", "geoaudit.toml:2: batch:"),
        ("[shard-check]\nbatch = [1]\n", "geoaudit.toml:2: batch:"),
        ("[shard-check]\nfail-on = 'GA9'\n", "geoaudit.toml:2: fail-on:"),
        ("shard-check = 1\n", "no table"),
        ("[shard-chek]\ndevice = 'H100'\n", "shard-chek: outside of [shard-check]"),
        ("[shard-check\n", "not TOML"),
    ],
)
def test_settings_that_cannot_be_used(engine: Path, text: str, said: str) -> None:
    (engine / "geoaudit.toml").write_text(text)
    result = _run(engine)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_remark_allows_a_finding_and_is_told_where_there_is_none(engine: Path) -> None:
    sites = _document(engine, *HEADS)["sites"]
    allowed = next(site for site in sites if site["kernel"] == "decode_step")
    assert allowed["findings"] == []
    (one,) = json.loads(json.dumps(allowed["suppressed"]))
    assert one["rule_id"] == "GA401"
    assert one["reason"] == "the tiled kernel is the one that runs with more than a rank"
    assert "n_head is sharded" in one["message"]
    assert "allows GA401, which is not found" in " ".join(_run(engine).stdout.split())


def test_times_of_a_recording_stand_beside_launches(engine: Path) -> None:
    scan = Path(__file__).parents[3] / "reports" / "h200-decode-suite" / "eager.parquet"
    document = _document(engine, *HEADS, "--scan", scan)
    times = {site["kernel"]: site["measured_ns_per_token"] for site in document["sites"]}
    assert isinstance(times["rms_norm"], float)
    assert times["conv_fused"] is None
    unmatched = [one["kernel"] for one in document["unmatched_kernels"]]
    assert "kda_decode_step" in unmatched
    assert "rms_norm" not in unmatched


@pytest.mark.parametrize(
    "beside",
    [
        ("--format", "json"),
        ("-o", "x"),
        ("--output", "json=x"),
        ("--write-baseline", "x"),
        ("--fail-on", "error"),
        ("--all",),
    ],
)
def test_explain_beside_what_is_done_with_a_table_is_refused(
    engine: Path, beside: tuple[str, ...]
) -> None:
    result = _run(engine, "--explain", "csrc/decode.cu:38", *beside)
    assert result.exit_code == 2
    assert "--explain beside --" in result.stderr


def test_a_gate_that_cannot_be_is_refused_before_the_work(engine: Path) -> None:
    assert _run(engine, "--fail-on", "starved").stdout == ""
    result = _run(engine / "csrc", "--fail-on", "GA101,GA401")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--fail-on GA101: shard-check has no such" in result.stderr
    assert "GA405 grid-limit" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--dim", "n_head=96:tp", "--set", "n_head=12"], "--dim n_head and --set n_head"),
        (["--dim", "n_head=96", "--dim", "n_head=64"], "--dim n_head is given twice"),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(
    engine: Path, arguments: list[str], said: str
) -> None:
    result = _run(engine, *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_sizes_on_the_command_line_win_over_settings_name_by_name(engine: Path) -> None:
    (engine / "geoaudit.toml").write_text(
        '[shard-check]\ndim = ["n_head=96:tp"]\nset = { head_dim = 128, hidden = 640 }\n'
    )
    document = json.loads(_run(engine, "--set", "hidden=64", "--format", "json").stdout)
    told = {name: one["value"] for name, one in document["assumed"].items()}
    assert (told["head_dim"], told["hidden"]) == (128, 64)
    totals = {one["name"]: one["total"] for one in document["dimensions"]}
    assert totals["n_head"] == 96
    document = json.loads(_run(engine, "--dim", "n_head=64", "--format", "json").stdout)
    assert {one["name"]: one["total"] for one in document["dimensions"]}["n_head"] == 64


def test_settings_that_are_passed_over_are_told(engine: Path, tmp_path: Path) -> None:
    (engine / "pyproject.toml").write_text('[tool.geoaudit.shard-check]\ndevice = "H100"\n')
    (engine / "geoaudit.toml").write_text('[shard-check]\ndevice = "B200"\n')
    result = _run(engine)
    assert "B200" in result.stdout
    assert "geoaudit.toml holds; the settings in" in result.stderr
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("")
    assert "it has none of its own" in _run(engine, other).stderr
    assert f"its own, {engine / 'geoaudit.toml'}, are not" in _run(other, engine).stderr
    assert "the settings of" not in _run(engine / "csrc", engine / "engine").stderr


def test_a_tree_of_which_nothing_is_analysed_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_bytes(b"\0\0")
    result = _run(tmp_path, "--no-cache")
    assert result.exit_code == 2
    assert "none of 1 source file could be analysed" in result.stderr
    assert "a.cu: not text" in result.stderr
    (tmp_path / "b.cu").write_text("")
    assert _run(tmp_path, "--no-cache").exit_code == 0


@pytest.mark.parametrize("is_nested", [False, True])
def test_a_model_gives_sizes(engine: Path, tmp_path: Path, is_nested: bool) -> None:
    text = {"num_attention_heads": 48, "hidden_size": 6144, "num_hidden_layers": 4}
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"text_config": text} if is_nested else text))
    document = json.loads(_run(engine, "--model", file, "--format", "json").stdout)
    told = {name: one["value"] for name, one in document["assumed"].items()}
    assert (told["heads"], told["kv_heads"], told["head_dim"]) == (48, 48, 128)
    blocks = {site["kernel"]: site["blocks"] for site in document["sites"]}
    assert blocks["conv_fused"]["1"] == 48 * 3


@pytest.mark.parametrize("text", ["", "[1]", '{"architectures": ["x"]}', "\x00"])
def test_a_file_that_is_no_model_is_refused(engine: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(text)
    result = _run(engine, "--model", file)
    assert result.exit_code == 2
    assert f"{file}: " in result.stderr


def test_batch_and_context_say_whether_they_are_the_default(engine: Path) -> None:
    result = _run(engine, "--batch", "16")
    assert "batch 16 (--batch) · context 32,768 (--context, default)" in result.stdout
    document = json.loads(_run(engine, "--context", "1024", "--format", "json").stdout)
    assert document["assumed"]["batch"] == {"value": 1, "from": "--batch, default"}
    assert document["assumed"]["context"] == {"value": 1024, "from": "--context"}
