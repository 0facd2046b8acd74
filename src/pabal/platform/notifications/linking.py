"""Who is who in Telegram: a person makes a code on their own page and says it to the bot, once."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pabal.base.database import Tx
from pabal.base.errors import Forbidden, NotFound
from pabal.base.sql import load
from pabal.platform import audit, auth
from pabal.platform.actor import Actor, Right
from pabal.platform.auth import User
from pabal.platform.auth.keys import digest
from pabal.platform.auth.store import find_user
from pabal.platform.tenants import visible_to

SQL = load(__file__)
LIFE = timedelta(minutes=15)
# no 0, O, 1, I: it may be read aloud
_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_LENGTH = 10


class NotAPerson(Forbidden, code="not_a_person"):
    """Only people have a Telegram account of their own. Sign in to link yours."""


class NoBot(NotFound, code="no_bot"):
    """No Telegram bot listens yet: an administrator adds a Telegram channel first."""


@dataclass(frozen=True, slots=True)
class LinkCode:
    """`code` is shown once: say `/start CODE` to the bot."""

    code: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Link:
    user_id: int
    telegram_id: int
    linked_at: datetime


async def make_code(tx: Tx, actor: Actor) -> LinkCode:
    """One's own. Those made before work no more."""
    return await _make_code(tx, actor, await _own_number(actor))


async def make_code_for(tx: Tx, actor: Actor, user_id: int) -> LinkCode:
    """For somebody else, whose administrator one is: on the command line."""
    actor.require(Right.MANAGE, "people")
    user = await auth.get_user(tx, await visible_to(tx, actor), user_id)
    return await _make_code(tx, actor, user.id)


async def _make_code(tx: Tx, actor: Actor, user_id: int) -> LinkCode:
    if not await tx.value(SQL.has_bot):
        raise NoBot
    made = LinkCode("".join(secrets.choice(_LETTERS) for _ in range(_LENGTH)), tx.now + LIFE)
    await tx.run(SQL.put_code, code_hash=digest(made.code), user_id=user_id, expires_at=made.expires_at)
    await audit.record(tx, actor, "telegram.code", f"user:{user_id}")
    return made


async def find_link(tx: Tx, user_id: int) -> Link | None:
    return await tx.one(Link, SQL.find_link, user_id=user_id)


async def find_own_link(tx: Tx, actor: Actor) -> Link | None:
    return await find_link(tx, await _own_number(actor)) if actor.name.startswith("user:") else None


async def unlink(tx: Tx, actor: Actor) -> None:
    """Buttons do nothing for this account any more, and its chat gets nothing."""
    number = await _own_number(actor)
    await _forget(tx, number)
    await audit.record(tx, actor, "telegram.unlink", f"user:{number}")


async def find_person(tx: Tx, telegram_id: int) -> User | None:
    """Only one who may sign in: whoever is put out here is put out there."""
    number = await tx.value(SQL.find_user_of, telegram_id=telegram_id)
    user = None if number is None else await find_user(tx, number)
    return user if user is not None and user.is_active else None


async def use_code(tx: Tx, code: str, *, telegram_id: int, chat_id: str, bot_id: int) -> User | None:
    """Links them and opens their own chat as a channel; None for a code that is wrong, over or used."""
    number = await tx.value(SQL.take_code, code_hash=digest(code.strip().upper()), now=tx.now)
    user = None if number is None else await find_user(tx, number)
    if user is None or not user.is_active:
        return None
    await _forget(tx, user.id)
    await tx.run(SQL.drop_others, telegram_id=telegram_id)
    await tx.run(SQL.insert_link, user_id=user.id, telegram_id=telegram_id, now=tx.now)
    lang = "en" if user.language == "en" else "ko"
    name = f"{user.login} · {'Telegram' if lang == 'en' else '텔레그램'}"
    given = {"user_id": user.id, "unit_id": user.unit_id, "name": name, "chat_id": chat_id}
    await tx.run(SQL.insert_own_channel, **given, bot_id=bot_id, lang=lang, now=tx.now)
    await audit.record(tx, user.actor("telegram"), "telegram.link", f"user:{user.id}", unit_id=user.unit_id)
    return user


async def _forget(tx: Tx, user_id: int) -> None:
    await tx.run(SQL.delete_link, user_id=user_id)
    await tx.run(SQL.delete_own_channels, user_id=user_id)


async def _own_number(actor: Actor) -> int:
    kind, _, number = actor.name.partition(":")
    if kind != "user" or not number.isdigit():
        raise NotAPerson(actor.name)
    return int(number)
