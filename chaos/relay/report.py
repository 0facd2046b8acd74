"""What a run proved: one line for each promise, what became of the messages, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from chaos.relay.evidence import Evidence
from chaos.relay.plan import JUDGED, SECONDS_PER
from chaos.report import AppReport, Finding, tally


@dataclass(frozen=True)
class Figures:
    ends: Counter[str]
    replies: Counter[str]
    uses: Counter[str]

    @classmethod
    def of(cls, e: Evidence) -> "Figures":
        return cls(
            Counter(f"{one.state} {one.reason}" for one in e.messages),
            Counter(f"{one.state} {one.detail or ''}".strip() for one in e.replies),
            Counter(one.outcome for one in e.uses),
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
            yield f"messages: {tally(self.figures.ends)}"
            yield f"answers: {tally(self.figures.replies)}"
            yield f"callbacks: {tally(self.figures.uses)}"
