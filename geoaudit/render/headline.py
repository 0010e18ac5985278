"""What stands above every table of an audit: labelled sentences, the same for all renderers."""

from dataclasses import dataclass

from geoaudit.diagnosis.thresholds import NOTABLE_UNKNOWN_GEOMETRY
from geoaudit.launches.rank_words import missing_ranks_sentence
from geoaudit.ranking.audit import Audit, AuditedDevice, AuditHeader, StepClassSummary
from geoaudit.render.names import elide, sentence
from geoaudit.render.numbers import CANNOT_TELL, count, duration, percent, plural
from geoaudit.render.rank_tables import ranks_sentence
from geoaudit.render.time_sentences import period

NAME_WIDTH = 80


@dataclass(frozen=True, kw_only=True)
class HeaderLine:
    """One line of the header.

    Attributes:
        label: one word, or empty for a line that goes on with the one above.
        text: what it says, names made visible.
        alarming: the reader must not miss it.
    """

    label: str
    text: str
    alarming: bool = False


def replay_sentence(header: AuditHeader) -> str | None:
    """The first line of a replayed scan, or None for a scan of this machine's own."""
    if not header.replayed:
        return None
    device = elide(header.devices[0].name, NAME_WIDTH) if header.devices else "an unknown device"
    date = elide(header.recorded_on, 40) if header.recorded_on else "a date that is not known"
    return f"REPLAY, nothing was measured here: {device}, recorded on {date}, ships with geoaudit"


def partial_sentence(header: AuditHeader) -> str:
    """Why a partial recording is one, and what that makes of the figures."""
    if header.missing_ranks and header.ranks is not None:
        missing = missing_ranks_sentence(header.missing_ranks, header.ranks)
        return f"{missing}, so every figure is of the others"
    return "the source was cut; only its complete part was read, so every figure is of a part"


def header_lines(audit: Audit) -> tuple[HeaderLine, ...]:
    """Everything that was audited and how, in reading order, without the replay line."""
    header = audit.header
    lines = _devices(header)
    lines.append(_source_line(header))
    lines.append(_token_line(header))
    lines.extend(_step_class_lines(header))
    lines.append(_launch_line(header))
    lines.append(_geometry_line(header))
    ranks = ranks_sentence(audit)
    if ranks is not None:
        lines.append(HeaderLine(label="ranks", text=ranks))
    if header.partial:
        lines.append(HeaderLine(label="PARTIAL", text=partial_sentence(header), alarming=True))
    lines.extend(
        HeaderLine(label="warning", text=sentence(warning), alarming=True)
        for warning in header.warnings
    )
    return tuple(lines)


def order_sentence(audit: Audit) -> str:
    """What the table's rows are, what orders them, and what their figures are per."""
    order = {
        "wasted": "wasted SM-time",
        "time": "time",
        "calls": "calls",
        "fill": "SM fill, emptiest first",
    }[audit.order]
    group = {
        "kernel": "kernels",
        "signature": "launch signatures",
        "position": "positions in the token",
        "rank": "launch signatures",
    }[audit.group]
    return f"{group} by {order}, figures per {period(audit)}"


def left_out_sentences(audit: Audit) -> tuple[str, ...]:
    """How many rows are left out, by what, and how to see them; empty where none is."""
    sentences = []
    if audit.hidden_rows:
        sentences.append(f"{plural(audit.hidden_rows, 'more row')} (--top 0 shows all)")
    if audit.filtered_rows:
        sentences.append(f"{plural(audit.filtered_rows, 'row')} left out by filters")
    return tuple(sentences)


def no_rows_sentence(audit: Audit) -> str:
    """What an empty table means; it is never a clean bill."""
    if audit.filtered_rows and audit.communication_rows:
        return "No row but communication is shown: the filters left no other."
    if audit.filtered_rows:
        return "No row is shown: the filters left none. This says nothing about the kernels."
    if audit.communication_rows:
        return "No row but communication: nothing else was launched in what was audited."
    return "No kernel was audited. This is no clean bill: nothing was judged."


def _devices(header: AuditHeader) -> list[HeaderLine]:
    several = len(header.devices) > 1
    lines = [
        line
        for device in header.devices
        for line in _device_lines(device, f"device {device.index}" if several else "device")
    ]
    if not lines:
        return [HeaderLine(label="device", text="unknown: the recording names none")]
    if several:
        text = f"totals are means over these {len(header.devices)} devices, a row is of one"
        lines.append(HeaderLine(label="", text=text))
    return lines


def _device_lines(device: AuditedDevice, label: str) -> list[HeaderLine]:
    text = f"{elide(device.name, NAME_WIDTH)} · {_sms(device)}"
    lines = [HeaderLine(label=label, text=text, alarming=device.spec is None)]
    lines.extend(
        HeaderLine(label="", text=sentence(text), alarming=True) for text in device.disagreements
    )
    return lines


def _sms(device: AuditedDevice) -> str:
    """The SMs of a device and what is known of them."""
    spec = device.spec
    if spec is None and device.usable_sms is None:
        return "SMs: cannot tell, so no fill, waves or waste: --device NAME or --sms N"
    if spec is None:
        source = f" ({sentence(device.sm_count_source, 120)})" if device.sm_count_source else ""
        return (
            f"{count(device.usable_sms)} SMs{source}, limits unknown: no waves or resident blocks"
        )
    kind = "compute capability " if spec.vendor == "nvidia" else ""
    unit = "SMs" if spec.vendor == "nvidia" else "CUs"
    usable = f", {count(spec.usable_sms)} usable" if spec.usable_sms != spec.sm_count else ""
    return (
        f"{kind}{elide(spec.architecture, 20)} · "
        f"{count(spec.sm_count)} {unit}{usable} ({sentence(spec.sm_count_source, 120)})"
    )


def _source_line(header: AuditHeader) -> HeaderLine:
    instrument = elide(header.instrument, 40)
    text = f"{elide(header.source_name, NAME_WIDTH)} · {elide(header.source_format, 40)}"
    return HeaderLine(label="source", text=f"{text} · timed by {instrument}")


def _token_line(header: AuditHeader) -> HeaderLine:
    rule = sentence(header.token_rule)
    if header.tokens is None:
        return HeaderLine(label="tokens", text=f"all figures are per trace · {rule}")
    if header.step_class is None:
        told = f"{plural(header.tokens, 'token')} as told"
        divided = f"totals divided by {count(header.tokens)}"
        text = f"{told} · {rule}" if divided in rule else f"{told}; {divided} · {rule}"
        return HeaderLine(label="tokens", text=text)
    return HeaderLine(label="tokens", text=f"{plural(header.tokens, 'complete token')} · {rule}")


def _step_class_lines(header: AuditHeader) -> list[HeaderLine]:
    chosen = [one for one in header.step_classes if one.chosen]
    others = [one for one in header.step_classes if not one.chosen]
    lines = [HeaderLine(label="step", text=f"{_step_class(one)} · audited") for one in chosen]
    if others:
        text = "; ".join(_step_class(one) for one in others[:10])
        more = f"; and {count(len(others) - 10)} more" if len(others) > 10 else ""
        lines.append(HeaderLine(label="other", text=f"{text}{more} (--step CLASS)"))
    return lines


def _step_class(one: StepClassSummary) -> str:
    wall = one.wall_time_per_step_ns
    each = "" if wall is None else f", {duration(wall)} each"
    return (
        f"{elide(one.name, 40)}: {count(one.complete_steps)} of {plural(one.steps, 'step')} "
        f"complete, {plural(one.launches_per_step, 'launch', 'launches')}{each}"
    )


def _launch_line(header: AuditHeader) -> HeaderLine:
    dropped = "cannot tell" if header.dropped is None else count(header.dropped)
    lost = None if header.launches_seen is None else max(header.launches_seen - header.launches, 0)
    calls = f" · {plural(lost, 'launch call')} without a record" if lost else ""
    if lost == 0:
        calls = " · every launch call has a record"
    text = (
        f"{count(header.launches)} recorded, {count(header.audited_launches)} audited, "
        f"{count(header.untimed)} untimed · dropped: {dropped}{calls}"
    )
    return HeaderLine(label="launches", text=text, alarming=bool(header.dropped))


def _geometry_line(header: AuditHeader) -> HeaderLine:
    fraction = percent(header.geometry_unknown_fraction)
    fraction = "cannot tell which share" if fraction == CANNOT_TELL else fraction
    text = f"{fraction} of the kernel time has an unknown grid"
    alarming = header.geometry_unknown_fraction >= NOTABLE_UNKNOWN_GEOMETRY
    return HeaderLine(label="unknown", text=text, alarming=alarming)
