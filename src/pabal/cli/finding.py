"""What people name on a command's line, as rows: by an id, a number or a name."""

from typing import TYPE_CHECKING

from pabal.cli.exits import read_id, read_number
from pabal.engine import why
from pabal.platform import alerts, approvals, auth, backup, operating
from pabal.platform.commands import options
from pabal.resources import rows

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.engine.listing import ScheduleLine, ServerSeen
    from pabal.platform.actor import Actor
    from pabal.platform.alerts import Alert
    from pabal.platform.approvals import Approvables, Seen
    from pabal.platform.auth import Token, User
    from pabal.platform.backup import Backup
    from pabal.platform.notifications import Channel
    from pabal.platform.tenants import Scope, Unit


async def find_alert(tx: "Tx", scope: "Scope", text: str) -> "Alert":
    return await alerts.get_alert(tx, scope, read_id("alr", text))


async def find_approval(tx: "Tx", scope: "Scope", text: str, *, approvables: "Approvables", reader: "Actor") -> "Seen":
    return await approvals.get_seen(tx, reader, scope, approvables, read_id("apr", text))


async def find_channel(tx: "Tx", scope: "Scope", text: str) -> "Channel":
    return await rows.get_channel(tx, scope, read_number(text))


async def find_token(tx: "Tx", scope: "Scope", text: str) -> "Token":
    return await auth.get_token(tx, scope, read_number(text))


async def find_unit(tx: "Tx", scope: "Scope", text: str) -> "Unit":
    return await options.find_unit(tx, text)


async def find_user(tx: "Tx", scope: "Scope", text: str) -> "User":
    """By login, or by number."""
    named = await auth.find_login(tx, scope, text.strip().lower())
    if named is not None:
        return named
    if text.isascii() and text.isdigit() and len(text) < 19:
        return await auth.get_user(tx, scope, int(text))
    raise auth.UserNotFound(text[:100])


async def find_schedule(tx: "Tx", scope: "Scope", text: str) -> "ScheduleLine":
    return await rows.get_schedule(tx, scope, why.read_schedule(text))


async def find_server(tx: "Tx", scope: "Scope", text: str) -> "ServerSeen":
    return await operating.get_server(tx, scope, text)


async def find_backup(tx: "Tx", text: str | None) -> "Backup":
    """The newest good one if none is named."""
    if text is not None:
        is_number = text.isascii() and text.isdigit() and len(text) < 19
        return await backup.get_backup(tx, int(text) if is_number else read_id("bak", text))
    newest = await backup.find_newest_good(tx)
    if newest is None:
        raise backup.BackupNotFound
    return newest
