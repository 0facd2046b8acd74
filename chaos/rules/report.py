"""What a run proved: one line for each promise, what became of the runs, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from chaos.report import AppReport, Finding, tally
from chaos.rules.evidence import Evidence
from chaos.rules.plan import JUDGED, SECONDS_PER


@dataclass
class Report(AppReport):
    judged_a_minute, seconds_per = JUDGED, SECONDS_PER

    ends: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, findings: list[Finding], evidence: Evidence) -> "Report":
        return cls(findings, ends=Counter(f"{one.state} {one.reason or ''}".strip() for one in evidence.runs))

    def told(self) -> Iterator[str]:
        yield f"runs: {tally(self.ends)}"
