"""What a run proved: one line for each promise, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from chaos.platform.plan import SECONDS_PER, list_minimums
from chaos.report import Finding, Judged


@dataclass
class Report(Judged):
    findings: list[Finding]
    done: Counter[str] = field(default_factory=Counter)
    lacking: list[str] = field(default_factory=list)

    def judge(self, done: Counter[str], *, seconds: float) -> None:
        """`seconds` is how long there were faults; 0 lets a run count however little it did."""
        self.done = done
        had = {**self.judged, "kills": self.kills, "point": done["point"], "database": done["database"]}
        least = list_minimums(seconds) | {name: int(seconds / per) for name, per in SECONDS_PER.items()}
        self.lacking += [f"{name} {had.get(name, 0)} of {n}" for name, n in least.items() if had.get(name, 0) < n]
        hung = [f"{done['hung']} did not end by themselves"] if done["hung"] else []
        died = ["the stand-ins did not live to the end"] if done["witnesses_died"] else []
        strange = [f"{done['strange']} servers ended by themselves"] if done["strange"] else []
        left = [f"{done['left']} are left to do"] if done["left"] else []
        self.findings.append(Finding("stop", f"{done['retire']} graceful stops", [*hung, *died, *strange, *left]))

    @property
    def judged(self) -> Counter[str]:
        return sum((Counter(finding.judged) for finding in self.findings), Counter())

    @property
    def kills(self) -> int:
        return self.done["kill"] + self.done["vanish"]

    def lines(self) -> Iterator[str]:
        yield from self.found()
        done = self.done
        yield (
            f"SIGKILL: {self.kills}, ended at a kill point: {done['point']}, SIGSTOP: {done['stop']}, "
            f"database stops: {done['database']}, terminated backends: {done['backends']}, "
            f"graceful stops: {done['retire']}, services cut off: {self.judged['cuts']}"
        )
        if self.lacking:
            yield f"this run does not count: {'; '.join(self.lacking)}"
        yield f"violations: {self.violations}"
