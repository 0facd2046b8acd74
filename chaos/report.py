"""What a run proved: one line for each promise, what was done to the servers, and whether the run counts."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from chaos.plan import Minimums, least_of_app

SHOWN = 10
# what may be wrong with the end of a run
WRONG = {
    "hung": "{} did not end by themselves",
    "strange": "{} servers ended by themselves",
    "witnesses_died": "those who watched from outside did not live to the end",
    "left": "{} are left to do",
}


@dataclass(slots=True)
class Finding:
    """`checked` says what was looked at, with numbers; `judged` are those of which a run needs enough.

    A promise that nothing tested is no proof.
    """

    promise: str
    checked: str
    violations: list[str] = field(default_factory=list)
    judged: dict[str, int] = field(default_factory=dict)


class Judged:
    """What the reports of all runs share. `lacking` is what a run that does not count did too little of."""

    findings: list[Finding]
    lacking: list[str]

    @property
    def violations(self) -> int:
        return sum(len(finding.violations) for finding in self.findings)

    @property
    def is_good(self) -> bool:
        return not self.violations and not self.lacking

    def lines(self) -> Iterator[str]:
        """What a run says of itself; every run has more to say than what was found."""
        return self.found()

    def found(self) -> Iterator[str]:
        for finding in self.findings:
            mark = "ok  " if not finding.violations else "FAIL"
            yield f"{mark} {finding.promise:4} {finding.checked}"
            yield from (f"       {text}" for text in finding.violations[:SHOWN])


@dataclass
class AppReport(Judged):
    """Of a run with the servers of an app. Each app says what must be judged of a minute, and how many seconds there
    may be to one of each fault."""

    judged_a_minute: ClassVar[Mapping[str, int]] = {}
    seconds_per: ClassVar[Mapping[str, float]] = {}

    findings: list[Finding]
    done: Counter[str] = field(default_factory=Counter)
    lacking: list[str] = field(default_factory=list)

    def judge(self, done: Counter[str], *, seconds: float) -> None:
        """`seconds` is how long there were faults; 0 lets a run count however little it did."""
        self.done = done
        had = {**self.judged, **done, "kills": self.kills}
        least = least_of_app(self.judged_a_minute, seconds)
        least |= {name: int(seconds / per) for name, per in self.seconds_per.items()}
        self.lacking += [f"{name} {had.get(name, 0)} of {n}" for name, n in least.items() if had.get(name, 0) < n]
        wrong = [text.format(done[name]) for name, text in WRONG.items() if done[name]]
        self.findings.append(Finding("stop", f"{done['retire']} graceful stops", wrong))

    @property
    def judged(self) -> Counter[str]:
        return sum((Counter(finding.judged) for finding in self.findings), Counter())

    @property
    def kills(self) -> int:
        return self.done["kill"] + self.done["vanish"]

    def told(self) -> Iterator[str]:
        """What became of the app's own things."""
        yield from ()

    def lines(self) -> Iterator[str]:
        yield from self.found()
        yield from self.told()
        done = sorted((name, n) for name, n in self.done.items() if name not in ("kill", "vanish", "point", *WRONG))
        yield f"SIGKILL: {self.kills}, ended at a kill point: {self.done['point']}, {tally(Counter(dict(done)), ': ')}"
        if self.lacking:
            yield f"this run does not count: {'; '.join(self.lacking)}"
        yield f"violations: {self.violations}"


def tally(counted: Counter[str], between: str = " ") -> str:
    return ", ".join(f"{name}{between}{number}" for name, number in sorted(counted.items())) or "none"


@dataclass
class Report(Judged):
    findings: list[Finding]
    ended: int
    done: Counter[str] = field(default_factory=Counter)
    lacking: list[str] = field(default_factory=list)

    def judge(self, done: Counter[str], minimums: Minimums) -> None:
        """`stops` were all longer than the TTL."""
        self.done = done
        for name, had, least in (
            ("jobs ended", self.ended, minimums.jobs),
            ("SIGKILL", self.kills, minimums.kills),
            ("SIGSTOP past the TTL", self.stops, minimums.stops),
            ("database stops", done["database"], minimums.database),
        ):
            if had < least:
                self.lacking.append(f"{name} {had} of {least}")
        self.lacking += [
            f"{name} {self.judged[name]} of {n}" for name, n in minimums.judged.items() if self.judged[name] < n
        ]
        hung = [f"{done['hung']} did not end by themselves"] if done["hung"] else []
        broken = [f"{done['broken']} ended by an error of their own (log/)"] if done["broken"] else []
        self.findings.append(Finding("stop", f"{done['retire']} graceful stops", hung + broken))

    @property
    def judged(self) -> Counter[str]:
        """What the checks could decide on; what they had to leave out proves nothing."""
        return sum((Counter(finding.judged) for finding in self.findings), Counter())

    @property
    def kills(self) -> int:
        return self.done["kill"] + self.done["vanish"]

    @property
    def stops(self) -> int:
        return self.done["stop"] + self.done["freeze"]

    def lines(self) -> Iterator[str]:
        yield from self.found()
        yield f"judged: {', '.join(f'{name} {n}' for name, n in sorted(self.judged.items()))}"
        done = self.done
        yield (
            f"jobs ended: {self.ended}, SIGKILL: {self.kills}, SIGSTOP past the TTL: {self.stops}, "
            f"database stops: {done['database']}, terminated backends: {done['backends']}, "
            f"graceful stops: {done['retire']}"
        )
        if self.lacking:
            yield f"this run does not count: {'; '.join(self.lacking)}"
        yield f"violations: {self.violations}"
