"""A house whose measures are dials that a test turns: time passes in intervals, and rules are judged at each."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.platform import alerts, settings
from pabal.platform.actor import ENGINE
from pabal.platform.alerts import Alert, AlertRule, Announcement, Level, Measure, Reading, Wanted
from pabal.platform.settings import Setting
from pabal.platform.tenants import Scope

EVERY = timedelta(seconds=15)
MINUTE = timedelta(minutes=1)
EVERYTHING = Scope(None, None)


@dataclass
class Dial:
    """Shows what it is set to; None: there is nothing to say."""

    name: str = "test.dial"
    shows: float | Sequence[Reading] | None = 0.0

    async def read(self, tx: Tx) -> float | Sequence[Reading] | None:
        return self.shows

    def measure(self, *, is_per_host: bool = False) -> Measure:
        return Measure(self.name, ("Dial", "눈금"), self.read, "s", is_per_host)


def rule_on(measure: Measure, *, name: str = "test.too_high", held_for: timedelta = MINUTE) -> AlertRule:
    return AlertRule(
        name=name,
        label=("Too high", "너무 높음"),
        measure=measure,
        beyond="above",
        threshold=10,
        held_for=held_for,
        level=Level.FAILURE,
        advice=("Turn it down.", "낮추세요."),
        area="test",
    )


@dataclass
class House:
    db: Database
    held_for: timedelta = MINUTE
    dial: Dial = field(default_factory=Dial)
    told: list[Announcement] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.measure = self.dial.measure()
        self.rule = rule_on(self.measure, held_for=self.held_for)

    async def tell(self, tx: Tx, announcement: Announcement) -> None:
        self.told.append(announcement)

    async def evaluate(self) -> int:
        return await alerts.evaluate_once(self.db, [self.rule], self.tell)

    async def sample(self) -> int:
        return await alerts.sample_once(self.db, [self.measure])

    async def pass_by(self, time: timedelta, *, showing: float | Sequence[Reading] | None) -> None:
        """Time passes, sampled and judged at every interval."""
        self.dial.shows = showing
        for _ in range(time // EVERY):
            await clock.advance(self.db, EVERY)
            await self.sample()
            await self.evaluate()

    async def fire(self, readings: Sequence[Reading] | None = None) -> Alert:
        await self.pass_by(self.held_for + EVERY, showing=readings or 99.0)
        [alert] = await self.list_open()
        return alert

    async def list_open(self, scope: Scope = EVERYTHING) -> list[Alert]:
        async with self.db.transaction() as tx:
            return await alerts.list_open(tx, scope)

    async def list_all(self, **wanted: object) -> list[Alert]:
        async with self.db.transaction() as tx:
            return await alerts.list_alerts(tx, EVERYTHING, Wanted(**wanted))  # type: ignore[arg-type]  # tests name its fields

    async def set(self, setting: Setting[Any], to: str) -> None:
        async with self.db.transaction() as tx:
            await settings.change(tx, ENGINE, setting, to)

    @property
    def news(self) -> list[str]:
        return [str(announcement.news) for announcement in self.told]
