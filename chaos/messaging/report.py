"""What a run proved: one line for each promise, what became of the occurrences, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from chaos.messaging.evidence import Evidence
from chaos.report import Finding, Judged

# Less than this in so many seconds proves too little to count.
SENT_OF_ALL = 1 / 3
SECONDS_PER = {"kills": 9.0, "database": 30.0, "cuts": 1.0}


@dataclass(frozen=True)
class Figures:
    occurrences: int
    states: Counter[str]
    reasons: Counter[str]
    resent: int
    cuts: int
    prevented: int

    @classmethod
    def of(cls, e: Evidence) -> "Figures":
        ended = [delivery for _, delivery in e.deliveries()]
        return cls(
            len(e.occurrences),
            Counter(delivery.state for delivery in ended),
            Counter(f"{delivery.state} {delivery.reason}" for delivery in ended if delivery.reason),
            sum(part.resent for delivery in ended for part in delivery.parts),
            len(e.cuts),
            sum(count for name, count in e.counts.items() if name.startswith("duplicates_prevented")),
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
        sent = self.figures.states["sent"]
        if seconds and sent < self.figures.occurrences * SENT_OF_ALL:
            self.lacking.append(f"sent {sent} of {self.figures.occurrences}")
        had = {"kills": self.kills, "database": done["database"], "cuts": self.figures.cuts}
        for name, per in SECONDS_PER.items():
            if had[name] < int(seconds / per):
                self.lacking.append(f"{name} {had[name]} of {int(seconds / per)}")
        hung = [f"{done['hung']} did not end by themselves"] if done["hung"] else []
        died = ["the phones did not live to the end"] if done["witnesses_died"] else []
        self.findings.append(Finding("stop", f"{done['retire']} graceful stops", [*hung, *died]))

    @property
    def kills(self) -> int:
        return self.done["kill"] + self.done["vanish"]

    def lines(self) -> Iterator[str]:
        yield from self.found()
        figures, done = self.figures, self.done
        yield f"occurrences: {figures.occurrences}, {_list(figures.states)}"
        yield f"reasons: {_list(figures.reasons) or 'none'}"
        yield f"parts sent again: {figures.resent}, duplicates prevented: {figures.prevented}"
        yield (
            f"SIGKILL: {self.kills}, SIGSTOP past the TTL: {done['stop']}, database stops: {done['database']}, "
            f"terminated backends: {done['backends']}, graceful stops: {done['retire']}, "
            f"cut connections: {figures.cuts}"
        )
        if self.lacking:
            yield f"this run does not count: {'; '.join(self.lacking)}"
        yield f"violations: {self.violations}"


def _list(counted: Counter[str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(counted.items()))
