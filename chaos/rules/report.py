"""What a run proved: one line for each promise, what became of the runs, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from chaos.report import Finding, Judged
from chaos.rules.evidence import Evidence
from chaos.rules.plan import SECONDS_PER, list_minimums

DONE = ("stop", "database", "backends", "retire", "script")


@dataclass
class Report(Judged):
    findings: list[Finding]
    ends: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    lacking: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, findings: list[Finding], evidence: Evidence) -> "Report":
        return cls(findings, Counter(f"{one.state} {one.reason or ''}".strip() for one in evidence.runs))

    def judge(self, done: Counter[str], *, seconds: float) -> None:
        """`seconds` is how long there were faults; 0 lets a run count however little it did."""
        self.done = done
        had = {**self.judged, **done, "kills": self.kills}
        least = list_minimums(seconds) | {name: int(seconds / per) for name, per in SECONDS_PER.items()}
        self.lacking += [f"{name} {had.get(name, 0)} of {n}" for name, n in least.items() if had.get(name, 0) < n]
        hung = [f"{done['hung']} did not end by themselves"] if done["hung"] else []
        strange = [f"{done['strange']} servers ended by themselves"] if done["strange"] else []
        self.findings.append(Finding("stop", f"{done['retire']} graceful stops", [*hung, *strange]))

    @property
    def judged(self) -> Counter[str]:
        return sum((Counter(finding.judged) for finding in self.findings), Counter())

    @property
    def kills(self) -> int:
        return self.done["kill"] + self.done["vanish"]

    def lines(self) -> Iterator[str]:
        yield from self.found()
        yield "runs: " + (", ".join(f"{name} {number}" for name, number in sorted(self.ends.items())) or "none")
        yield f"SIGKILL: {self.kills}, ended at a kill point: {self.done['point']}, " + ", ".join(
            f"{name}: {self.done[name]}" for name in DONE
        )
        if self.lacking:
            yield f"this run does not count: {'; '.join(self.lacking)}"
        yield f"violations: {self.violations}"
