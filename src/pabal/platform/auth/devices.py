"""Known devices: browsers in which somebody signed in before. Being known opens nothing; it only gives tries of one's
own, so that whoever guesses from the same address, or at the same login, makes nobody wait who was here before.
"""

from datetime import timedelta

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.auth.keys import digest, new_secret

SQL = load(__file__)
KEPT_FOR = timedelta(days=180)
MOST = 20


async def is_known(tx: Tx, user_id: int, secret: str) -> bool:
    found = await tx.value(SQL.is_known, secret_hash=digest(secret), user_id=user_id, after=tx.now - KEPT_FOR)
    return bool(found)


async def remember_device(tx: Tx, user_id: int, secret: str) -> str:
    """For a user that is held. The secret for the cookie: the one that came, if it is this user's, or a new one."""
    if await tx.run(SQL.touch_device, secret_hash=digest(secret), user_id=user_id, now=tx.now):
        return secret
    made = new_secret()
    await tx.run(SQL.insert_device, secret_hash=digest(made), user_id=user_id, now=tx.now)
    await tx.run(SQL.delete_oldest, user_id=user_id, kept=MOST)
    return made


async def forget_devices_of(tx: Tx, user_id: int) -> int:
    return await tx.run(SQL.delete_devices, user_id=user_id)


async def forget_devices(tx: Tx) -> int:
    return await tx.run(SQL.forget_devices, before=tx.now - KEPT_FOR)
