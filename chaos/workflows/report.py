"""What a run proved: one line for each promise, what became of the workflows, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from chaos.report import AppReport, Finding, tally
from chaos.workflows.evidence import Evidence
from chaos.workflows.plan import JUDGED, SECONDS_PER


@dataclass
class Report(AppReport):
    judged_a_minute, seconds_per = JUDGED, SECONDS_PER

    ends: Counter[str] = field(default_factory=Counter)
    steps: Counter[str] = field(default_factory=Counter)
    verbs: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, findings: list[Finding], evidence: Evidence) -> "Report":
        steps = Counter(one.state for run in evidence.runs for one in run.steps)
        return cls(findings, ends=Counter(run.state for run in evidence.runs), steps=steps, verbs=evidence.verbs)

    def told(self) -> Iterator[str]:
        yield f"runs: {tally(self.ends)}"
        yield f"steps: {tally(self.steps)}"
        yield f"done to runs: {tally(self.verbs)}"
        yield f"judged: {tally(self.judged)}"
