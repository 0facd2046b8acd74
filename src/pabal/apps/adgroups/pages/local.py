"""Moments as a visitor types them into a field: on the wall clock of their own zone."""

from datetime import datetime

from pabal.engine.recurrence import instant_of
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.visit import Visit


def read_local(visit: Visit, typed: str) -> datetime | None:
    """None for what is no moment."""
    try:
        local = datetime.fromisoformat(typed.strip())
    except ValueError:
        return None
    if local.tzinfo is not None or not FIRST_YEAR <= local.year <= LAST_YEAR:
        return None
    return instant_of(local, visit.zone)


def show_local(visit: Visit, moment: datetime) -> str:
    local = moment.astimezone(visit.zone).replace(tzinfo=None)
    return local.isoformat(timespec="seconds" if local.second else "minutes")
