"""What is tried again, how often and when; and which clock of a render has run out. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.rendering.model.renders import Reason


@dataclass(frozen=True, slots=True)
class Ladder:
    """`tries` more after the first; each waits `factor` times as long as the one before."""

    first: timedelta
    tries: int
    factor: int = 1

    def wait(self, failures: int) -> timedelta | None:
        """After so many failures in a row, this one included. None: that was the last try."""
        return None if failures > self.tries else self.first * self.factor ** (failures - 1)


@dataclass(frozen=True, slots=True)
class Clocks:
    """Both begin when nexrender has started; before, it only waits there."""

    total: timedelta
    without_progress: timedelta

    def judge(self, now: datetime, began_at: datetime | None, moved_at: datetime | None) -> Reason | None:
        if began_at is None:
            return None
        if now - began_at >= self.total:
            return Reason.RENDER_TIMEOUT
        return Reason.STALLED if now - max(moved_at or began_at, began_at) >= self.without_progress else None


# A slot may be to blame for these: they count towards sparing it the template.
BLAMED = frozenset(
    {Reason.NEXRENDER_ERROR, Reason.RENDER_TIMEOUT, Reason.STALLED, Reason.OUTPUT_INVALID, Reason.OUTPUT_MISSING}
)
# Nobody but an administrator can help.
FOR_ADMINISTRATORS = frozenset(
    {Reason.TEMPLATE_MISSING, Reason.TEMPLATE_UNUSABLE, Reason.COMPOSITION_MISSING, Reason.POISON_JOB}
)
