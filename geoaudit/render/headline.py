"""What stands above every table of an audit: labelled sentences, the same for all renderers."""

from dataclasses import dataclass

from geoaudit.ranking.audit import Audit, AuditedDevice, AuditHeader, StepClassSummary
from geoaudit.render.names import elide, sentence
from geoaudit.render.numbers import CANNOT_TELL, count, duration, percent, plural, share

NAME_WIDTH = 80
CEILING = "a CEILING on what filling the SMs could win, never a saving"


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


@dataclass(frozen=True, kw_only=True)
class TimeSplit:
    """One part of the wall time.

    Attributes:
        name: kernels, copies or gaps.
        time: as text.
        share: of the wall time, as text.
        fraction: of the wall time, 0 to 1; None: cannot tell.
    """

    name: str
    time: str
    share: str
    fraction: float | None


def period(audit: Audit) -> str:
    """What the figures are per: ``token``, or ``trace`` where no tokens were found."""
    return "trace" if audit.header.tokens is None else "token"


def replay_sentence(header: AuditHeader) -> str | None:
    """The first line of a replayed scan, or None for a scan of this machine's own."""
    if not header.replayed:
        return None
    device = elide(header.devices[0].name, NAME_WIDTH) if header.devices else "an unknown device"
    date = elide(header.recorded_on, 40) if header.recorded_on else "a date that is not known"
    return f"REPLAY, nothing was measured here: {device}, recorded on {date}, ships with geoaudit"


def header_lines(audit: Audit) -> tuple[HeaderLine, ...]:
    """Everything that was audited and how, in reading order, without the replay line."""
    header = audit.header
    lines = [line for device in header.devices for line in _device_lines(device)]
    if not lines:
        lines.append(HeaderLine(label="device", text="unknown: the recording names none"))
    lines.append(_source_line(header))
    lines.append(_token_line(header))
    lines.extend(_step_class_lines(header))
    lines.append(_launch_line(header))
    lines.append(_geometry_line(header))
    if header.partial:
        text = "the source was cut; only its complete part was read, so every figure is of a part"
        lines.append(HeaderLine(label="PARTIAL", text=text, alarming=True))
    lines.extend(
        HeaderLine(label="warning", text=sentence(warning), alarming=True)
        for warning in header.warnings
    )
    return tuple(lines)


def time_splits(audit: Audit) -> tuple[TimeSplit, ...]:
    """The wall time in kernels, copies and gaps."""
    totals = audit.totals
    parts = {
        "kernels": totals.kernel_time_per_token_ns,
        "copies": totals.copy_time_per_token_ns,
        "gaps": totals.gap_time_per_token_ns,
    }
    wall = totals.wall_time_per_token_ns
    return tuple(
        TimeSplit(
            name=name,
            time=duration(part),
            share=percent(share(part, wall)),
            fraction=share(part, wall),
        )
        for name, part in parts.items()
    )


def waste_sentence(audit: Audit) -> str:
    """The wasted SM-time with and without communication, as shares of the kernel time."""
    totals = audit.totals
    kernels = totals.kernel_time_per_token_ns
    everything = totals.wasted_sm_time_per_token_ns
    without = totals.wasted_without_communication_per_token_ns
    if everything is None and without is None:
        return "cannot tell: it takes the grids, the times and the SM count of the device"
    wasted = f"{duration(everything)} = {percent(share(everything, kernels))} of kernel time"
    if not audit.communication_rows and everything == without:
        return f"{wasted}; no communication in it"
    return (
        f"{wasted}; without communication {duration(without)} = {percent(share(without, kernels))}"
    )


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
    }[audit.group]
    return f"{group} by {order}, figures per {period(audit)}"


def hidden_rows_sentence(audit: Audit) -> str | None:
    """How many rows are left out and how to see them, or None where none is."""
    if audit.hidden_rows == 0:
        return None
    return f"{plural(audit.hidden_rows, 'more row')}, left out by --top or a filter: --top 0"


def no_rows_sentence(audit: Audit) -> str:
    """What an empty table means; it is never a clean bill."""
    if audit.hidden_rows:
        return "No row is shown: the filters left none. This says nothing about the kernels."
    if audit.communication_rows:
        return "No row but communication: nothing else was launched in what was audited."
    return "No kernel was audited. This is no clean bill: nothing was judged."


def _device_lines(device: AuditedDevice) -> list[HeaderLine]:
    name = elide(device.name, NAME_WIDTH)
    spec = device.spec
    if spec is None:
        text = f"{name} · SMs: cannot tell, so no fill, waves or waste: --device NAME or --sms N"
        lines = [HeaderLine(label="device", text=text, alarming=True)]
    else:
        kind = "compute capability " if spec.vendor == "nvidia" else ""
        unit = "SMs" if spec.vendor == "nvidia" else "CUs"
        usable = f", {count(spec.usable_sms)} usable" if spec.usable_sms != spec.sm_count else ""
        text = (
            f"{name} · {kind}{elide(spec.architecture, 20)} · "
            f"{count(spec.sm_count)} {unit}{usable} ({sentence(spec.sm_count_source, 120)})"
        )
        lines = [HeaderLine(label="device", text=text)]
    lines.extend(
        HeaderLine(label="", text=f"disagreement: {sentence(text)}", alarming=True)
        for text in device.disagreements
    )
    return lines


def _source_line(header: AuditHeader) -> HeaderLine:
    instrument = elide(header.instrument, 40)
    text = f"{elide(header.source_name, NAME_WIDTH)} · {elide(header.source_format, 40)}"
    return HeaderLine(label="source", text=f"{text} · timed by {instrument}")


def _token_line(header: AuditHeader) -> HeaderLine:
    rule = sentence(header.token_rule)
    if header.tokens is None:
        return HeaderLine(label="tokens", text=f"all figures are per trace · {rule}")
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
    seen = "" if header.launches_seen is None else f" of {count(header.launches_seen)} seen"
    text = (
        f"{count(header.launches)} recorded{seen}, {count(header.audited_launches)} audited · "
        f"{count(header.untimed)} untimed · dropped: {dropped}"
    )
    return HeaderLine(label="launches", text=text, alarming=bool(header.dropped))


def _geometry_line(header: AuditHeader) -> HeaderLine:
    fraction = percent(header.geometry_unknown_fraction)
    fraction = "cannot tell which share" if fraction == CANNOT_TELL else fraction
    text = f"{fraction} of the kernel time has an unknown grid"
    return HeaderLine(label="unknown", text=text, alarming=header.geometry_unknown_fraction >= 0.05)
