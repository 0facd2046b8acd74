"""Handing out: each message to one reader, oldest first; again when nobody answers; where a reader left off."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pabal.apps.relay import settings as own
from pabal.apps.relay.machine import MESSAGE, MessageEvent
from pabal.apps.relay.model.messages import ACCOUNT_ABOUT, MessageState
from pabal.apps.relay.store import mailboxes
from pabal.apps.relay.store.mailboxes import Back, Letter
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.transitions import Because, Step, apply
from pabal.platform import notifications, settings
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import Level, Notice

declare("relay.message.delivered", "Messages handed out to an instance", amount="count", level=logging.DEBUG)
declare("relay.message.redelivered", "Messages handed out again, unanswered", amount="count")


@dataclass(frozen=True, slots=True)
class Handed:
    """A letter, and its number for the reader who got it: where that one goes on from."""

    letter: Letter
    reader: str
    number: int


# for each account its readers in this process, with how many letters each can take
Readers = Mapping[UUID, Sequence[tuple[str, int]]]


def count_rooms(readers: Readers) -> dict[UUID, int]:
    return {account: sum(room for _, room in those) for account, those in readers.items()}


async def hand_out(tx: Tx, readers: Readers, *, again: bool = False, behind: int = 0) -> list[Handed]:
    """What waits for these accounts, spread over their readers; `again`: what they left unanswered too.

    In a transaction opened by `store.mailboxes.opening`, with as much room as theirs or more. `behind`: so many were
    handed out in it already.
    """
    rooms = count_rooms(readers)
    letters = _fit(mailboxes.list_unread(tx), rooms)
    if again:
        free = {account: room for account, room in rooms.items() if room > 0}
        letters += await mailboxes.lock_unanswered(tx, free) if free else []
    return await _hand(tx, letters, _spread(letters, readers), behind)


async def hand_out_at_once(
    database: Database, readers: Mapping[UUID, tuple[str, int]], known: dict[str, str]
) -> list[Handed]:
    """One statement instead of a transaction: what is new for accounts with one reader each.

    `known` are the settings as they were last seen. Where they are others by now, and for accounts that left something
    unread until it expired, nothing comes of it.
    """
    visibility = settings.values_of(known, [own.VISIBILITY])[own.VISIBILITY]
    handed = await mailboxes.hand_out_at_once(database, readers, visibility=visibility, settings=known)
    if handed:
        emit("relay.message.delivered", count=len(handed))
    return [Handed(*one) for one in handed]


def _fit(letters: Sequence[Letter], rooms: dict[UUID, int]) -> list[Letter]:
    """Those there is room for, which is then less."""
    fitting = []
    for letter in letters:
        if rooms[letter.account_id] > 0:
            rooms[letter.account_id] -= 1
            fitting.append(letter)
    return fitting


async def go_on(tx: Tx, account_id: UUID, reader: str, after: int, *, room: int) -> list[Handed]:
    """What this reader was handed after what it saw last, and did not get."""
    letters = await mailboxes.lock_after(tx, account_id, reader, after, room)
    return await _hand(tx, letters, [reader] * len(letters))


async def note_reading(tx: Tx, accounts: Sequence[UUID]) -> None:
    """Somebody reads their mailboxes. Owners who were told otherwise are told so."""
    for back in await mailboxes.note_read(tx, accounts):
        await notifications.notify(tx, _back_notice(back))


async def _hand(tx: Tx, letters: Sequence[Letter], readers: Sequence[str], behind: int = 0) -> list[Handed]:
    if not letters:
        return []
    numbers = mailboxes.number_batch(tx, behind, len(letters))
    visible_at = tx.now + settings.values_of(mailboxes.settings_of(tx), [own.VISIBILITY])[own.VISIBILITY]
    handed = [Handed(*one) for one in zip(letters, readers, numbers, strict=True)]
    await _note(tx, handed, visible_at)
    return handed


# What expired unread is read all the same, and stays expired.
_EVENTS = {MessageState.QUEUED: MessageEvent.HAND_OUT, MessageState.DELIVERED: MessageEvent.REPEAT}


async def _note(tx: Tx, handed: Sequence[Handed], visible_at: datetime) -> None:
    for state, event in _EVENTS.items():
        those = [one for one in handed if one.letter.state == state]
        columns = [one.reader for one in those], [one.number for one in those]
        steps = [Step(one.letter, event, MessageState.DELIVERED, []) for one in those]
        noting = mailboxes.noting_handed_out(tx, *columns, visible_at=visible_at)
        await apply(tx, MESSAGE, steps, Because(ENGINE.name), noting)
    over = [one for one in handed if one.letter.state not in _EVENTS]
    if over:
        columns = [one.reader for one in over], [one.number for one in over]
        await mailboxes.note_handed_out(tx, [one.letter.id for one in over], *columns, visible_at=visible_at)
    again = sum(one.letter.state == MessageState.DELIVERED for one in handed)
    emit("relay.message.delivered", count=len(handed) - again)
    if again:
        emit("relay.message.redelivered", count=again)


def _spread(letters: Sequence[Letter], readers: Readers) -> list[str]:
    """In turn, each as far as there is room."""
    left = {account: dict(those) for account, those in readers.items()}
    chosen = []
    for letter in letters:
        rooms = left[letter.account_id]
        emptiest = max(rooms, key=rooms.__getitem__)
        rooms[emptiest] -= 1
        chosen.append(emptiest)
    return chosen


def _back_notice(back: Back) -> Notice:
    return Notice(
        name="relay.account_back",
        title=("{account} reads its messages again", "{account} 계정이 다시 메시지를 읽습니다"),
        text=("Users reach their assistant again.", "사용자의 메시지가 다시 전달됩니다."),
        values={"account": back.name},
        level=Level.INFO,
        unit_id=back.unit_id,
        about=f"{ACCOUNT_ABOUT}:{back.id}",
        link="/relay/accounts",
    )
