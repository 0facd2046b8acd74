"""What a run begins with: accounts with their tokens, users paired with them, and times short enough for a run."""

import json
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from chaos.relay.words import account_name, user_name
from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts, mailboxes
from pabal.apps.relay.actions.pairing import complete
from pabal.apps.relay.machine import CONVERSATION, ConversationEvent
from pabal.apps.relay.store import receiving
from pabal.base.database import Database, Tx
from pabal.engine.transitions import begin, transition
from pabal.platform import settings, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import Level

CHANNEL = "chaos"
USERS_EACH = 5
_SECOND = timedelta(seconds=1)
# An address lives for ten seconds; an answer in the last two of them is late.
LIFE, MARGIN = 10 * _SECOND, 2 * _SECOND
IN_TIME = (LIFE - MARGIN).total_seconds()


@dataclass(frozen=True)
class Laid:
    """Tokens by account, and accounts by user."""

    tokens: dict[str, str]
    users: dict[str, str]

    def write(self, folder: Path) -> None:
        (folder / "ground.json").write_text(json.dumps({"tokens": self.tokens, "users": self.users}))

    @classmethod
    def read(cls, folder: Path) -> "Laid":
        return cls(**json.loads((folder / "ground.json").read_text()))


async def lay(database: Database, users: int, *, is_prompt: bool = False) -> Laid:
    """`is_prompt`: callbacks wait for nothing, so that they begin in the commits that take their replies."""
    async with database.transaction() as tx:
        await _set(tx, is_prompt=is_prompt)
        hq = await tenants.ensure_hq(tx)
        unit = await tenants.add_unit(tx, ENGINE, parent_id=hq.id, level=Level.BRANCH, name="Survival")
        laid = Laid({}, {})
        for number in range(max(2, users // USERS_EACH)):
            name = account_name(number)
            made = await accounts.create_account(
                tx, ENGINE, name=name, unit_id=unit.id, rate_limit_per_minute=1_000_000
            )
            await mailboxes.note_reading(tx, [made.account.id])
            laid.tokens[name] = made.token
            for user in (user_name(n) for n in range(users) if n % max(2, users // USERS_EACH) == number):
                laid.users[user] = name
                conversation = await _meet(tx, user)
                await complete(tx, conversation, made.account.id, unit.id)
                await transition(tx, CONVERSATION, conversation, ConversationEvent.PAIR, actor=ENGINE.name)
    return laid


async def _set(tx: Tx, *, is_prompt: bool) -> None:
    for setting, value in (
        (own.CALLBACK_TTL, LIFE),
        (own.CALLBACK_MARGIN, MARGIN),
        (own.QUEUE_TTL, timedelta(minutes=2)),
        (own.VISIBILITY, 5 * _SECOND),
        (own.DIRECT_WAIT, 3 * _SECOND),
        (own.GATHER, (0 if is_prompt else 0.3) * _SECOND),
        (own.CALLBACK_DELAY, (0 if is_prompt else 0.5) * _SECOND),
    ):
        await settings.change(tx, ENGINE, setting, value)


async def _meet(tx: Tx, user: str) -> int:
    key = f"{CHANNEL}:{user}"
    made: int = await tx.value(
        receiving.SQL.insert_conversation,
        conversation_key=key,
        kakao_channel_id=CHANNEL,
        plusfriend_user_key=user,
        now=tx.now,
    )
    await begin(tx, CONVERSATION, [made], actor=ENGINE.name)
    return made
