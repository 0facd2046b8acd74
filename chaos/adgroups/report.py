"""What a run proved: one line for each promise, what was done to the servers, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from chaos.report import Finding, Judged

# Less than this in so many seconds proves too little to count.
SECONDS_PER = {"kill": 15.0, "point": 20.0, "database": 30.0}


@dataclass
class Report(Judged):
    findings: list[Finding]
    done: Counter[str] = field(default_factory=Counter)
    lacking: list[str] = field(default_factory=list)

    def judge(self, done: Counter[str], *, seconds: float) -> None:
        """`seconds` is how long there were faults; 0 lets a run count however little it did."""
        self.done = done
        for name, per in SECONDS_PER.items():
            if done[name] < int(seconds / per):
                self.lacking.append(f"{name} {done[name]} of {int(seconds / per)}")
        hung = [f"{done['hung']} did not end by themselves"] if done["hung"] else []
        self.findings.append(Finding("stop", f"{done['retire']} graceful stops", hung))

    def lines(self) -> Iterator[str]:
        yield from self.found()
        done = self.done
        yield (
            f"SIGKILL: {done['kill']}, ended at a kill point: {done['point']}, database stops: {done['database']}, "
            f"terminated backends: {done['backends']}, graceful stops: {done['retire']}"
        )
        if self.lacking:
            yield f"this run does not count: {'; '.join(self.lacking)}"
        yield f"violations: {self.violations}"
