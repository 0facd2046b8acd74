"""What a schedule's ledger must be, written down a second time: minute by minute over the wall clock."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tests.support.schedules import MINUTE

Rule = Callable[[datetime], bool]
"""Whether a minute of the zone's clock is one of the recurrence."""


@dataclass
class Model:
    rule: Rule
    zone: ZoneInfo
    valid: tuple[datetime, datetime]
    misfire: str
    window: timedelta | None
    most: int | None
    overlap: str
    looked_until: datetime
    is_paused: bool = False
    has_open: bool = False
    decided: dict[datetime, str] = field(default_factory=dict)

    def moments(self, start: datetime, end: datetime) -> list[datetime]:
        """After the start, up to the end."""
        minute = start.replace(second=0, microsecond=0) + MINUTE
        found = []
        while minute <= end:
            if self.valid[0] <= minute < self.valid[1] and self.rule(minute.astimezone(self.zone)):
                found.append(minute)
            minute += MINUTE
        return found

    def tick(self, now: datetime) -> None:
        if not self.is_paused:
            self._look(now, self._decide)

    def pass_paused(self, now: datetime) -> None:
        """What resume, or an edit while paused, does with the moments since."""
        self._look(now, lambda moment, now, due: "skipped paused")

    def skip(self, moment: datetime) -> None:
        self.decided[moment] = "skipped asked"

    def edit(self, rule: Rule, now: datetime) -> None:
        self.pass_paused(now) if self.is_paused else self.tick(now)
        self.rule = rule
        ahead = [moment for moment in self.decided if moment > now]
        kept = self.moments(now, max([now, *ahead]))
        self.decided = {moment: said for moment, said in self.decided.items() if moment <= now or moment in kept}

    def _look(self, now: datetime, decide: Callable[[datetime, datetime, list[datetime]], str]) -> None:
        due = [moment for moment in self.moments(self.looked_until, now) if moment not in self.decided]
        for moment in due:
            said = decide(moment, now, due)
            if said.startswith("enqueued") and self.overlap == "skip":
                said = "skipped overlap" if self.has_open else said
            self.has_open = self.has_open or said.startswith("enqueued")
            self.decided[moment] = said
        if self.overlap == "cancel_previous":
            for moment in [moment for moment in due if self.decided[moment].startswith("enqueued")][:-1]:
                self.decided[moment] = "coalesced overlap"
        self.looked_until = now

    def _decide(self, moment: datetime, now: datetime, due: list[datetime]) -> str:
        newer = [other for other in due if other > moment]
        if now - moment <= timedelta(seconds=30):
            return "enqueued on_time"
        if self.window is not None and now - moment > self.window:
            return "skipped misfire_window"
        if self.misfire == "skip":
            return "skipped late"
        if self.misfire == "latest":
            return "coalesced late" if newer else "enqueued late"
        late = [other for other in newer if now - other > timedelta(seconds=30)]
        return "enqueued late" if len(late) < (self.most or 0) else "skipped misfire_max"
