"""When backups are taken, how long they are kept, when one is checked: the settings, and the schedule they make."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.engine import schedules
from pabal.engine.facts import Fact, Subscriber
from pabal.engine.recurrence import Daily, Timing
from pabal.engine.schedules import NewSchedule, Overlap
from pabal.platform import settings
from pabal.platform.settings import Choice, Setting

SQL = load(__file__)
LANE = ABOUT = "backup"
TAKE = "backup.take"
CHECK = "backup.check"
NEVER = "never"
GROUP = ("Backup", "백업")
# A server that was down at the hour makes up for it when it is back, until the next one is due anyway.
LATE = timedelta(hours=23)


class BadTimeOfDay(Invalid, code="bad_time_of_day"):
    """A time of day reads hours and minutes, from 00:00 to 23:59."""


def read_time(text: str) -> time:
    hours, colon, minutes = text.partition(":")
    if not (colon and len(hours) == len(minutes) == 2 and (hours + minutes).isascii() and (hours + minutes).isdigit()):
        raise BadTimeOfDay(text)
    try:
        return time(int(hours), int(minutes))
    except ValueError as error:
        raise BadTimeOfDay(text) from error


def check_zone(name: str) -> None:
    """Raises UnknownZone, as a schedule would."""
    Timing(Daily((time(0),)), name)


TIME = Setting(
    key="backup.time",
    default="03:30",
    label=("Time of the daily backup", "매일 백업하는 시각"),
    help=(
        "When everything is backed up each day, on the clock of the zone below.",
        "날마다 전체를 백업하는 시각입니다.",
    ),
    group=GROUP,
    requirement="A-176",
    check=read_time,
)
ZONE = Setting(
    key="backup.zone",
    default="Asia/Seoul",
    label=("Zone of that time", "그 시각의 시간대"),
    help=("A name of the tz database, such as Asia/Seoul.", "Asia/Seoul 같은 tz 데이터베이스의 이름입니다."),
    group=GROUP,
    check=check_zone,
)
KEEP_DAYS = Setting(
    key="backup.keep_days",
    default=14,
    least=1,
    most=3650,
    label=("Days backups are kept", "백업 보관 일수"),
    help=(
        "Older ones are deleted after a newer one succeeded; never the only good one.",
        "새 백업이 성공한 뒤에 이보다 오래된 것을 지웁니다. 하나뿐인 쓸 만한 백업은 지우지 않습니다.",
    ),
    group=GROUP,
    unit=("days", "일"),
)
CHECK_DAY = Setting(
    key="backup.check_day",
    default="sun",
    choices=(
        Choice("mon", ("Monday", "월요일")),
        Choice("tue", ("Tuesday", "화요일")),
        Choice("wed", ("Wednesday", "수요일")),
        Choice("thu", ("Thursday", "목요일")),
        Choice("fri", ("Friday", "금요일")),
        Choice("sat", ("Saturday", "토요일")),
        Choice("sun", ("Sunday", "일요일")),
        Choice(NEVER, ("Never", "하지 않음")),
    ),
    label=("Day of the restore check", "복원 검사를 하는 요일"),
    help=(
        "That day's backup is restored into a scratch database and compared; this needs as much disk as the database.",
        "그날의 백업을 임시 데이터베이스에 복원해 견줍니다. 데이터베이스만큼의 디스크가 더 필요합니다.",
    ),
    group=GROUP,
)
SETTINGS = (TIME, ZONE, KEEP_DAYS, CHECK_DAY)


async def ensure_schedule(tx: Tx) -> None:
    """The one schedule is there and says what the settings say. Whether it is paused is left as it is."""
    await tx.value(SQL.lock_plan)
    now = await settings.values(tx, [TIME, ZONE])
    wanted = NewSchedule(
        name="Backup",
        kind=TAKE,
        recurrence=Daily((read_time(now[TIME]),)),
        zone=now[ZONE],
        about=ABOUT,
        lane=LANE,
        overlap=Overlap.SKIP,
        misfire_window=LATE,
    )
    known = await schedules.list_schedules(tx, about=ABOUT, kind=TAKE, limit=1)
    if not known:
        await schedules.put(tx, wanted)
    elif (known[0].recurrence, known[0].zone) != (wanted.recurrence, wanted.zone):
        await schedules.edit(tx, known[0].id, wanted)


async def is_check_due(tx: Tx, fire_at: datetime) -> bool:
    """Whether the backup of this moment is the one of its week that is checked."""
    now = await settings.values(tx, [ZONE, CHECK_DAY])
    days = [choice.value for choice in CHECK_DAY.choices]
    return days[fire_at.astimezone(ZoneInfo(now[ZONE])).weekday()] == now[CHECK_DAY]


async def _follow_settings(tx: Tx, changes: list[Fact]) -> None:
    if any(change.data["key"] in (TIME.key, ZONE.key) for change in changes):
        await ensure_schedule(tx)


SUBSCRIBER = Subscriber("backup.plan", (settings.CHANGED,), _follow_settings)
