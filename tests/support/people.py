"""A small organisation and people in it: HQ over Busan with two branches, and Seoul with one."""

from dataclasses import dataclass

from pabal.base.database import Database
from pabal.platform import tenants
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.tenants import Level, Unit


@dataclass(frozen=True)
class Tree:
    hq: Unit
    busan: Unit
    haeundae: Unit
    nampo: Unit
    seoul: Unit
    gangnam: Unit


async def plant(db: Database) -> Tree:
    async with db.transaction() as tx:
        hq = await tenants.ensure_hq(tx)

        async def add(parent: Unit, level: Level, name: str) -> Unit:
            return await tenants.add_unit(tx, ENGINE, parent_id=parent.id, level=level, name=name)

        busan, seoul = await add(hq, Level.DISTRIBUTOR, "부산총판"), await add(hq, Level.DISTRIBUTOR, "서울총판")
        haeundae, nampo = await add(busan, Level.BRANCH, "해운대점"), await add(busan, Level.BRANCH, "남포점")
        gangnam = await add(seoul, Level.BRANCH, "강남점")
    return Tree(hq, busan, haeundae, nampo, seoul, gangnam)


def person(unit: Unit, role: Role = Role.ADMIN, *, number: int = 1) -> Actor:
    return Actor(f"user:{number}", unit.id, role, label=f"{unit.name} {role}", origin="127.0.0.1")
