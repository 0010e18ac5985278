"""What stands against more blocks."""

from geoaudit.diagnosis.axis_advice import axis_advice, known_shape
from geoaudit.launches.declared import SplitProperties


def test_the_property_that_fails_is_named() -> None:
    advice = axis_advice(SplitProperties(cross_block_reduction=True, duplicated_reads=False))
    assert advice.cross_block_reduction == "yes"
    assert advice.duplicated_reads == "no"
    assert advice.layout_change == "cannot tell"
    assert advice.sentence == (
        "more blocks would cost a reduction across blocks: weigh it against a wider block"
    )


def test_what_is_not_declared_is_asked_for() -> None:
    advice = axis_advice(SplitProperties(cross_block_reduction=False, duplicated_reads=False))
    assert advice.sentence.endswith("look into another memory layout")
    assert axis_advice(None).sentence.startswith("nothing is declared of this kernel")


def test_reference_shapes_have_their_source() -> None:
    shape = known_shape("fused_recurrent_gated_delta_rule_fwd_kernel")
    assert shape is not None
    assert "BV = 32" in shape.source
    assert known_shape("router_top_k") is None
