"""Cases of the verdict's table: each looks at one kind of evidence, and says nothing otherwise."""

from collections.abc import Callable

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.thresholds import Thresholds

Case = Callable[[SignatureEvidence, Thresholds], Verdict | None]
