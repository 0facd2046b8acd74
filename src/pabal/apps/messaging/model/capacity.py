"""How long bots need for many rooms, and how many of those would be missed. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.messaging.model.content import Part
from pabal.platform.language.pairs import Pair

# what nobody has measured yet: so much for a packet, besides the waits it asks for
UNMEASURED = 1.0


@dataclass(frozen=True, slots=True)
class Measured:
    """What a bot took for its last sends: seconds for a part, and for a whole send."""

    part: float
    send: float


@dataclass(frozen=True, slots=True)
class Hourly:
    """Sends that the connected bots can do in an hour, each at the pace it was seen to have. `unmeasured`: bots that
    have sent nothing of late, so that nobody knows what they could; they are not in the sum."""

    sends: float = 0.0
    bots: int = 0
    unmeasured: int = 0


def add_up(bots: Collection[int], seen: Mapping[int, Measured]) -> Hourly:
    paces = [seen[bot_id].send for bot_id in bots if bot_id in seen and seen[bot_id].send > 0]
    return Hourly(sum(3600 / pace for pace in paces), len(bots), len(bots) - len(paces))


@dataclass(frozen=True, slots=True)
class Turn:
    """A room's turn: whose, and from when on."""

    bot_id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Due:
    """So many sends that a bot has to do from a moment on."""

    bot_id: int
    at: datetime
    sends: int = 1


def list_busy(due: Sequence[Due], paces: Mapping[int, float], *, at: datetime) -> dict[int, float]:
    """Seconds for which each bot is still busy at a moment with what was due before: one after the other."""
    free: dict[int, datetime] = {}
    for one in sorted(due, key=lambda one: one.at):
        begin = max(one.at, free.get(one.bot_id, one.at))
        free[one.bot_id] = begin + timedelta(seconds=one.sends * paces.get(one.bot_id, UNMEASURED))
    return {bot_id: (moment - at).total_seconds() for bot_id, moment in free.items() if moment > at}


@dataclass(frozen=True, slots=True)
class Estimate:
    """`late`: rooms whose turn would not come before the window closes. `busy`: what else the bots have to do."""

    rooms: int
    bots: int
    takes: timedelta
    window: timedelta
    late: int
    busy: timedelta

    @property
    def says(self) -> Pair:
        english = f"{_count(self.rooms, 'room')} by {_count(self.bots, 'phone')}: {_about(self.takes)[0]}"
        korean = f"톡방 {self.rooms}곳을 전화기 {self.bots}대로: {_about(self.takes)[1]}"
        if not self.late:
            return english, korean
        window = _about(self.window)
        return (
            f"{english}; {self.late} would miss the window of {window[0].removeprefix('about ')}",
            f"{korean}. {self.late}곳은 발송 시간({window[1].removeprefix('약 ')}) 안에 보내지 못합니다",
        )


def need_of(parts: Sequence[Part], measured: Measured | None) -> float:
    """Seconds for one room: at least the waits it asks for, or what the bot was seen to take for as many parts."""
    asked = sum(part.wait_ms for part in parts) / 1000 + sum(part.media_wait for part in parts if part.pictures) / 1000
    if measured is None:
        return asked + UNMEASURED * len(parts)
    return max(asked, measured.part * len(parts))


def estimate(
    turns: Sequence[Turn], needs: Mapping[int, float], busy: Mapping[int, float], *, begin: datetime, until: datetime
) -> Estimate:
    """Each bot sends one after the other, from a room's turn on, behind what it has to do already."""
    free = {bot_id: begin + timedelta(seconds=seconds) for bot_id, seconds in busy.items()}
    late, end = 0, begin
    for turn in turns:
        start = max(turn.at, free.get(turn.bot_id, begin))
        late += start > until
        free[turn.bot_id] = start + timedelta(seconds=needs[turn.bot_id])
        end = max(end, free[turn.bot_id])
    bots = {turn.bot_id for turn in turns}
    waits = max((busy.get(bot_id, 0.0) for bot_id in bots), default=0.0)
    return Estimate(len(turns), len(bots), end - begin, until - begin, late, timedelta(seconds=waits))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _about(span: timedelta) -> Pair:
    seconds = max(1, round(span.total_seconds()))
    if seconds < 90:
        return f"about {_count(seconds, 'second')}", f"약 {seconds}초"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"about {_count(minutes, 'minute')}", f"약 {minutes}분"
    hours = round(minutes / 60)
    return f"about {_count(hours, 'hour')}", f"약 {hours}시간"
