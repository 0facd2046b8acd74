"""People of the units, as the tests of their pages make and read them."""

from pabal.platform import auth
from pabal.platform.actor import ENGINE, Role
from pabal.platform.auth import NewUser, User
from pabal.platform.tenants import Scope
from tests.support.web import Web


async def add(web: Web, unit: str, login: str, name: str = "김운영", role: Role = Role.VIEWER) -> User:
    async with web.db.transaction() as tx:
        return await auth.add_user(tx, ENGINE, NewUser(login, name, web.unit(unit).id, role))


async def read_user(web: Web, user_id: int) -> User:
    async with web.db.transaction() as tx:
        return await auth.get_user(tx, Scope(None, None), user_id)
