"""People with accounts in the small organisation, and what is in the database about them."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from pabal.base.database import Database
from pabal.base.sql import Statement
from pabal.platform import audit, auth
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.auth import Caller, NewUser, SignedIn, User, passwords, store
from pabal.platform.tenants import Unit
from tests.support.people import Tree, plant

PASSWORD = "a horse and 3 carrots"
CALLER = Caller("203.0.113.7", "Firefox")
SOMEBODY_WAITS = Statement(
    "somebody_waits",
    "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')",
    (),
)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True)
class Town:
    tree: Tree
    kim: User
    lee: User
    park: User
    choi: User

    @property
    def boss(self) -> Actor:
        return self.kim.actor("127.0.0.1")


async def settle(db: Database) -> Town:
    """Kim manages the HQ, Lee Busan; Park operates Haeundae below Lee, Choi manages Gangnam, elsewhere."""
    tree = await plant(db)
    return Town(
        tree,
        await add(db, "kim", tree.hq, Role.ADMIN),
        await add(db, "lee", tree.busan, Role.ADMIN),
        await add(db, "park", tree.haeundae, Role.OPERATOR),
        await add(db, "choi", tree.gangnam, Role.ADMIN),
    )


async def add(db: Database, login: str, unit: Unit, role: Role) -> User:
    async with db.transaction() as tx:
        return await auth.add_user(tx, ENGINE, NewUser(login, login.title(), unit.id, role))


async def give_password(db: Database, user: User, password: str = PASSWORD) -> str:
    """The stored hash."""
    hashed = await passwords.hash_password(password)
    async with db.transaction() as tx:
        assert await store.update_password(tx, store.Known(user.id, None), hashed)
    return hashed


async def again(db: Database, user: User) -> User:
    async with db.transaction() as tx:
        found = await store.find_user(tx, user.id)
    assert found is not None
    return found


async def enter(db: Database, user: User, caller: Caller = CALLER) -> SignedIn:
    """By a link, which costs no hashing."""
    async with db.transaction() as tx:
        link = await auth.issue_link(tx, ENGINE, user.id)
        return await auth.use_link(tx, link.secret, caller)


async def said_of(db: Database, action: str) -> list[audit.Entry]:
    async with db.transaction() as tx:
        return await audit.list_entries(tx, audit.Wanted(action=action))


async def everything_stored(db: Database) -> str:
    """All of auth's rows and the audit as text, to look for secrets in."""
    tables = ("user_account", "session", "sign_in_link", "api_token", "sign_in_try", "audit")
    async with db.transaction() as tx:
        rows = [await tx.rows(Statement("all", f"select t::text from pabal.{table} t", ())) for table in tables]
    return "\n".join(row[0] for some in rows for row in some)


async def until_somebody_waits(db: Database) -> None:
    """For a lock that a transaction of the test holds."""
    async with asyncio.timeout(30):
        while not (await db.rows(SOMEBODY_WAITS))[0][0]:
            await asyncio.sleep(0.01)
