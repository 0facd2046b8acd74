"""What a run proved: one line for each promise, what became of the renders, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from chaos.rendering.evidence import Evidence
from chaos.rendering.plan import JUDGED, SECONDS_PER
from chaos.report import AppReport, Finding, tally


@dataclass(frozen=True)
class Figures:
    ends: Counter[str]
    machines: Counter[str]
    attempts: Counter[str]

    @classmethod
    def of(cls, e: Evidence) -> "Figures":
        return cls(
            Counter(f"{one.state} {one.error_code or ''}".strip() for one in e.renders),
            Counter(one.state for one in e.rendered),
            Counter(f"#{one.attempt}" for one in e.renders),
        )


@dataclass
class Report(AppReport):
    judged_a_minute, seconds_per = JUDGED, SECONDS_PER

    figures: Figures | None = None

    @classmethod
    def of(cls, findings: list[Finding], evidence: Evidence) -> "Report":
        return cls(findings, figures=Figures.of(evidence))

    def told(self) -> Iterator[str]:
        if self.figures is not None:
            yield f"renders: {tally(self.figures.ends)}"
            yield f"machines: {tally(self.figures.machines)}"
            yield f"attempts: {tally(self.figures.attempts)}"
