"""What repetitions showed, in lines and as a table."""

from geoaudit.ranking.arm_gains import gains_of_rows
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.render.interventions import arm_gains_markdown, intervention_lines
from tests.unit.diagnosis.test_interventions import KDA, NORM
from tests.unit.ranking.builders import Launch, recording, tokens


def test_a_line_for_each_launch_and_each_shape() -> None:
    assert intervention_lines([KDA, NORM]) == [
        "kda_decode_step, 12 blocks of 128 threads: 20.3 µs alone, 20.4 µs in its token: alike, so "
        "not contended",
        "  KDA_VALUE_TILE=32, 48 blocks of 256 threads: 2.45 µs",
        "  KDA_VALUE_TILE=16, 96 blocks of 256 threads: 2.03 µs",
        "  KDA_VALUE_TILE=8, 192 blocks of 256 threads: 1.95 µs",
        "rms_norm, 1 block of 128 threads: 20.7 µs alone, 20.7 µs in its token: alike, so not "
        "contended",
        "  WIDE_NORM=1, 1 block of 1,024 threads: 2.60 µs",
    ]
    assert intervention_lines([]) == []


def test_ceilings_stand_beside_gains() -> None:
    layout = [
        Launch(kernel="kda_decode_step", blocks=12, duration=20_400),
        Launch(kernel="rms_norm", blocks=1, start=30_000, duration=20_700),
    ]
    rows = rank(recording(tokens(layout, 4, 100_000)), RankOptions()).rows
    lines = arm_gains_markdown(gains_of_rows(rows, [KDA, NORM]))
    assert lines[0] == "| kernel | setting | ceiling per token | realised per token |"
    assert "| `rms_norm` | WIDE_NORM=1 | 20.5 µs | 18.1 µs |" in lines
    assert "| `kda_decode_step` | KDA_VALUE_TILE=8 | 18.5 µs | 18.4 µs |" in lines
    assert lines[-1].startswith("Spearman's rank correlation of ceiling and gain over 4 pairs: ")
    assert arm_gains_markdown([])[-1].endswith("over 0 pairs: cannot be told")
