"""What an ad group must be, written down a second time, as plainly as possible."""

from dataclasses import dataclass, field
from datetime import datetime, time

from tests.support.adgroup import AD_GROUP, next_at


@dataclass
class Model:
    start_at: datetime
    end_at: datetime
    day: tuple[time, time] | None
    entered_at: datetime
    state: str = "draft"
    path: list[str] = field(default_factory=lambda: ["draft"])

    def say(self, event: str, now: datetime) -> bool:
        target = self.target(event, now)
        if target is not None:
            self.state, self.entered_at = target, now
            self.path.append(target)
        return target is not None

    def target(self, event: str, now: datetime) -> str | None:  # long: the whole matrix in one place
        inside = self.day is None or self.day[0] <= now.time() < self.day[1]
        airing = "running" if inside else "pending"
        match self.state, event:
            case "draft", "complete_setup":
                return "ready"
            case "ready", "reject":
                return "draft"
            case "ready", "approve" if now < self.end_at:
                return "approved"
            case "approved", "start" if now >= self.start_at:
                return airing
            case "paused", "resume" if now < self.end_at:
                return airing
            case "pending", "daily_start":
                return "running"
            case "running", "daily_end":
                return "pending"
            case (("running" | "pending"), "pause"):
                return "paused"
            case (("approved" | "running" | "paused" | "pending"), "expire") if now >= self.end_at:
                return "expired"
            case (("draft" | "ready" | "approved" | "running" | "paused" | "pending"), "delete"):
                return "deleted"
        return None

    def timers(self) -> dict[str, datetime]:
        day_from, day_until = self.day or (None, None)
        declared = {
            "approved": {"start": self.start_at, "expire": self.end_at},
            "running": {"daily_end": next_at(day_until, self.entered_at), "expire": self.end_at},
            "pending": {"daily_start": next_at(day_from, self.entered_at), "expire": self.end_at},
            "paused": {"expire": self.end_at},
        }
        return {event: moment for event, moment in declared.get(self.state, {}).items() if moment is not None}

    def fire(self, now: datetime) -> bool:
        order = list(AD_GROUP.events)
        due = sorted((moment, order.index(event), event) for event, moment in self.timers().items() if moment <= now)
        return bool(due) and self.say(due[0][2], now)
