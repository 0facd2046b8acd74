"""What a run proved: one line for each promise, what became of the renders, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from chaos.rendering.evidence import Evidence
from chaos.rendering.plan import SECONDS_PER, list_minimums
from chaos.report import Finding, Judged

DONE = ("stop", "database", "backends", "retire", "nexrender", "restart", "hang", "lose", "nas", "misbehave")


@dataclass(frozen=True)
class Figures:
    ends: Counter[str]
    machines: Counter[str]
    attempts: Counter[int]

    @classmethod
    def of(cls, e: Evidence) -> "Figures":
        return cls(
            Counter(f"{one.state} {one.error_code or ''}".strip() for one in e.renders),
            Counter(one.state for one in e.rendered),
            Counter(one.attempt for one in e.renders),
        )


@dataclass
class Report(Judged):
    findings: list[Finding]
    figures: Figures
    done: Counter[str] = field(default_factory=Counter)
    lacking: list[str] = field(default_factory=list)

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
        figures, done = self.figures, self.done
        yield f"renders: {_list(figures.ends)}"
        yield f"machines: {_list(figures.machines)}"
        yield f"attempts: {_list(Counter({f'#{number}': n for number, n in figures.attempts.items()}))}"
        yield f"SIGKILL: {self.kills}, ended at a kill point: {done['point']}, " + ", ".join(
            f"{name}: {done[name]}" for name in DONE
        )
        if self.lacking:
            yield f"this run does not count: {'; '.join(self.lacking)}"
        yield f"violations: {self.violations}"


def _list(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(counted.items())) or "none"
