"""What tests of the relay share: an account in Haeundae, a user paired with it, and short ways to say and answer."""

import itertools
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from pabal.apps.relay.actions import accounts, mailboxes, receiving, replying
from pabal.apps.relay.actions.accounts import AccountToken
from pabal.apps.relay.actions.mailboxes import Handed
from pabal.apps.relay.actions.receiving import Direct, Waits
from pabal.apps.relay.actions.replying import Taken
from pabal.apps.relay.gateway import Accepted, CallResult
from pabal.apps.relay.model.messages import Message, Reply
from pabal.apps.relay.model.skill import Skill, read_request
from pabal.apps.relay.store import conversations, messages, replies
from pabal.apps.relay.store import mailboxes as mailbox_store
from pabal.apps.relay.store import receiving as receiving_store
from pabal.apps.relay.store.accounts import hash_token
from pabal.apps.relay.store.mailboxes import TokenHolder, take_request
from pabal.base.database import Database
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.settings import Setting
from pabal.platform.settings.model import V
from pabal.platform.tenants import Scope
from tests.support.people import Tree, plant

HOUSE = Scope(None, None)
CHANNEL = "b0ts"
_numbers = itertools.count(1)


def callback(number: int | None = None) -> str:
    return f"https://bot-api.kakao.com/v1/bots/{CHANNEL}/callback/{number or next(_numbers)}"


def payload(
    text: str = "안녕하세요", user: str = "kim", *, url: str | None = "", event_id: str | None = None, lang: str = "ko"
) -> dict[str, Any]:
    """As Kakao sends it. `url` empty: one of its own; None: none."""
    asked: dict[str, Any] = {
        "timezone": "Asia/Seoul",
        "params": {"surface": "Kakaotalk.plusfriend", "ignoreMe": "true"},
        "block": {"id": "block", "name": "폴백 블록"},
        "utterance": text,
        "lang": lang,
        "user": {
            "id": f"bot-{user}",
            "type": "botUserKey",
            "properties": {"botUserKey": f"bot-{user}", "plusfriendUserKey": user, "isFriend": True},
        },
    }
    if url is not None:
        asked["callbackUrl"] = url or callback()
    if event_id is not None:
        asked["eventId"] = event_id
    return {
        "intent": {"id": "block", "name": "폴백 블록", "extra": {"reason": {"code": 1, "message": "OK"}}},
        "userRequest": asked,
        "contexts": [],
        "bot": {"id": CHANNEL, "name": "봇"},
        "action": {"id": "skill", "name": "스킬", "params": {}, "detailParams": {}, "clientExtra": None},
    }


def skill(*texts: str) -> Skill:
    return {"version": "2.0", "template": {"outputs": [{"simpleText": {"text": text}} for text in texts]}}


def texts_of(skill_: Skill) -> list[str]:
    return [one["simpleText"]["text"] for one in skill_["template"]["outputs"] if "simpleText" in one]


@dataclass
class RelayWorld:
    """`account` is Haeundae's and awake; kim is paired with it."""

    db: Database
    tree: Tree
    account: AccountToken
    readers: dict[UUID, str] = field(default_factory=dict)
    # the settings a server knew before somebody changed them
    stale: dict[str, str] | None = None

    async def say(self, text: str = "안녕하세요", user: str = "kim", **given: Any) -> Direct | Waits:
        """What a webhook leads to; its message, if there is one, is the newest."""
        return await self.receive(payload(text, user, **given))

    async def receive(self, body: dict[str, Any], uid: UUID | None = None) -> Direct | Waits:
        request = read_request(body)
        assert request is not None
        async with receiving_store.opening(self.db, request.conversation_key) as tx:
            return await receiving.receive(tx, request, uid or uuid4())

    async def say_at_once(self, text: str = "안녕하세요", user: str = "kim", **given: Any) -> Direct | Waits | None:
        """By one statement, with the settings as they are; None where it needs a transaction."""
        request = read_request(payload(text, user, **given))
        assert request is not None
        known = await self.known() if self.stale is None else self.stale
        found = await receiving.receive_at_once(self.db, request, uuid4(), known)
        return None if found is None else found[0]

    async def known(self) -> dict[str, str]:
        async with receiving_store.opening(self.db, "") as tx:
            return receiving_store.settings_of(tx)

    async def read_at_once(self, account: AccountToken | None = None, *, room: int = 20) -> list[Handed]:
        which = (account or self.account).account.id
        known = await self.known() if self.stale is None else self.stale
        return await mailboxes.hand_out_at_once(self.db, {which: ("reader000001", room)}, known)

    async def hear(self, text: str, user: str = "kim", **given: Any) -> list[str]:
        """What the user is told at once."""
        said = await self.say(text, user, **given)
        assert isinstance(said, Direct)
        return texts_of(said.skill)

    async def pair(self, user: str, account: AccountToken | None = None) -> int:
        """The id of their conversation, which may wait for the account's owner."""
        code = await self.make_code(account)
        await self.say(f"/pair {code}", user)
        async with self.db.transaction() as tx:
            return (await conversations.name_conversation(tx, HOUSE, f"{CHANNEL}:{user}")).id

    async def make_code(self, account: AccountToken | None = None) -> str:
        async with self.db.transaction() as tx:
            which = (account or self.account).account.id
            return (await accounts.new_code(tx, ENGINE, account_id=which)).code

    async def read(self, account: AccountToken | None = None, *, room: int = 20, again: bool = False) -> list[Handed]:
        """What one reader of the account gets now."""
        which = (account or self.account).account.id
        async with mailbox_store.opening(self.db, {which: room}) as tx:
            await mailboxes.note_reading(tx, [which])
            return await mailboxes.hand_out(tx, {which: [("reader000001", room)]}, again=again)

    async def holder(self, account: AccountToken | None = None) -> TokenHolder:
        found = await take_request(self.db, hash_token((account or self.account).token))
        assert found is not None
        return found

    async def reply(self, uid: UUID, *texts: str, account: AccountToken | None = None, **given: Any) -> Taken:
        holder = await self.holder(account)
        async with replies.opening(self.db, account_id=holder.id, uid=uid) as tx:
            return await replying.reply(tx, uid, given.pop("response", None) or skill(*texts), **given)

    async def messages(self) -> list[Message]:
        """Oldest first."""
        async with self.db.transaction() as tx:
            return (await messages.list_messages(tx, HOUSE, limit=200)).items[::-1]

    async def newest(self) -> Message:
        return (await self.messages())[-1]

    async def replies(self, message: Message) -> list[Reply]:
        async with self.db.transaction() as tx:
            return await replies.list_replies(tx, message.id)


async def add_account(db: Database, unit_id: int, name: str = "비서", **given: Any) -> AccountToken:
    """Somebody reads its mailbox."""
    async with db.transaction() as tx:
        made = await accounts.create_account(tx, ENGINE, name=name, unit_id=unit_id, **given)
        await mailboxes.note_reading(tx, [made.account.id])
    return made


async def make_relay(db: Database, tree: Tree | None = None) -> RelayWorld:
    tree = tree or await plant(db)
    world = RelayWorld(db, tree, await add_account(db, tree.haeundae.id))
    await world.pair("kim")
    return world


SECOND = timedelta(seconds=1)


async def set_value(db: Database, setting: Setting[V], to: V) -> None:
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, setting, to)


class ScriptedKakao:
    """The other side of the seam, for tests of jobs: answers in turn, and remembers what came."""

    can_push = True

    def __init__(self, *answers: CallResult) -> None:
        self._answers = list(answers)
        self.calls: list[tuple[str, Skill]] = []
        self.pushed: list[tuple[str, dict[str, Any], str]] = []

    async def call_back(self, url: str, skill: Skill) -> CallResult:
        self.calls.append((url, skill))
        return self._answers.pop(0) if self._answers else Accepted()

    async def push(self, bot_id: str, event: dict[str, Any], user_key: str) -> CallResult:
        self.pushed.append((bot_id, event, user_key))
        return self._answers.pop(0) if self._answers else Accepted()
