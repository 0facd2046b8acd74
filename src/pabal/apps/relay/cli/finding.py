"""Finds what a command names: by id as lists show it, or by the exact name where only one has it."""

from uuid import UUID

from pabal.apps.relay.errors import AccountNotFound
from pabal.apps.relay.model.messages import Account, PairingCode
from pabal.apps.relay.model.pairing import read_code
from pabal.apps.relay.store import accounts, conversations
from pabal.base.database import Tx
from pabal.base.settings import parse_duration
from pabal.platform.commands.options import NameAmbiguous
from pabal.platform.tenants import Scope


async def find_account(tx: Tx, scope: Scope, text: str) -> Account:
    try:
        return await accounts.get_account(tx, scope, UUID(text))
    except ValueError:
        found = await accounts.find_named(tx, scope, text.strip())
    if not found:
        raise AccountNotFound(text[:100])
    if len(found) > 1:
        raise NameAmbiguous(", ".join(str(one) for one in found))
    return await accounts.get_account(tx, scope, found[0])


async def find_account_id(tx: Tx, scope: Scope, text: str) -> UUID:
    return (await find_account(tx, scope, text)).id


async def find_conversation_id(tx: Tx, scope: Scope, text: str) -> int:
    return (await conversations.name_conversation(tx, scope, text)).id


async def find_code(tx: Tx, scope: Scope, text: str) -> PairingCode:
    return await accounts.get_code(tx, scope, read_code(text))


async def read_seconds(tx: Tx, scope: Scope, text: str) -> int:
    """A span as people write it: 10m, 24h."""
    return int(parse_duration(text).total_seconds())
