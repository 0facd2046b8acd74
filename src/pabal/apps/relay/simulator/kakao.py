"""KakaoChannel: KakaoTalk's side of a skill on a real socket. Its users speak, its callback addresses work once."""

import asyncio
import json
import secrets
import socket
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import count
from typing import Any, Literal, Self
from uuid import uuid4

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pabal.apps.relay.simulator.journal import Journal, moment
from pabal.apps.relay.simulator.options import CallbackBehaviour, ChannelOptions
from pabal.apps.relay.simulator.skills import (
    Utterance,
    find_answer_fault,
    find_skill_fault,
    make_payload,
    name_bot_user,
    read_output,
)
from pabal.base.clock import elapsed, host_time
from pabal.base.errors import Unavailable
from pabal.platform.web.asked import AskedServer, quiet

_HANG_UP = "pabal.hang_up"


class ChannelPortTaken(Unavailable, code="channel_port_taken"):
    """The simulated channel cannot listen on this port. Give it another one, and tell the relay."""


class CallbackOutcome(StrEnum):
    """What became of one use of a callback address. The first six leave the address as it was."""

    UNKNOWN = "unknown"
    WRONG_BOT = "wrong_bot"
    USED = "used"  # it has been used before
    EXPIRED = "expired"
    OVERTAKING = "overtaking"  # before the webhook's own answer arrived
    UNASKED = "unasked"  # the webhook's answer did not say useCallback
    BAD_SKILL = "bad_skill"
    REFUSED = "refused"
    ERROR = "error"
    DIED = "died"
    SHOWN = "shown"


_TOKEN = "Invalid callback token. Check your callback token."  # noqa: S105 -- a message about tokens
_MESSAGES = {
    CallbackOutcome.UNKNOWN: _TOKEN,
    CallbackOutcome.WRONG_BOT: "Invalid bot ID. Check your bot ID.",
    CallbackOutcome.USED: _TOKEN,
    CallbackOutcome.EXPIRED: _TOKEN,
    CallbackOutcome.OVERTAKING: _TOKEN,
    CallbackOutcome.UNASKED: "The skill server settings are incorrect. Use callback true setting required.",
    CallbackOutcome.BAD_SKILL: "Invalid json response from bot-skill.",
    CallbackOutcome.REFUSED: "Invalid skill-json format. This talk bubble is not suitable for advertising.",
    CallbackOutcome.ERROR: "Internal server error occured. (999)",
    CallbackOutcome.DIED: "",
    CallbackOutcome.SHOWN: "success",
}


@dataclass(frozen=True)
class SkillAsked:
    """A user's words on their way to the webhook. `number` is that of the SkillCall that follows."""

    at: datetime
    number: int
    user: str
    text: str
    payload: dict[str, Any] = field(repr=False)
    callback_url: str | None = None


@dataclass(frozen=True)
class SkillCall:
    """How the webhook answered. `status` None: it did not; `fault` says why an answer is not a valid one."""

    at: datetime
    number: int
    user: str
    text: str
    payload: dict[str, Any] = field(repr=False)
    callback_url: str | None
    status: int | None
    response: Any
    seconds: float
    fault: str

    @property
    def is_valid(self) -> bool:
        return not self.fault

    @property
    def uses_callback(self) -> bool:
        return self.is_valid and self.response.get("useCallback") is True

    @property
    def waiting_text(self) -> str:
        """What a block shows while the callback is waited for; not a bubble that is counted."""
        data = self.response.get("data") if self.uses_callback else None
        return str(data.get("text", "")) if isinstance(data, dict) else ""


@dataclass(frozen=True)
class CallbackUse:
    """`number` is that of the SkillCall its address belongs to; `body` the text where it was no JSON."""

    at: datetime
    token: str
    number: int | None
    user: str | None
    body: Any
    outcome: CallbackOutcome
    fault: str
    task_id: str


@dataclass(frozen=True)
class EventCall:
    at: datetime
    bot_id: str
    users: tuple[str, ...]
    body: Any
    outcome: CallbackOutcome
    fault: str
    task_id: str


@dataclass(frozen=True)
class ShownBubble:
    """What a user sees. `number` is that of the SkillCall it answers; an event answers none."""

    at: datetime
    user: str
    origin: Literal["answer", "callback", "event"]
    number: int | None
    type: str
    text: str
    output: dict[str, Any] = field(repr=False)


ChannelEntry = SkillAsked | SkillCall | CallbackUse | EventCall | ShownBubble


@dataclass
class _Callback:
    """One callback address."""

    number: int
    user: str
    bot_id: str
    until: float
    behaviour: CallbackBehaviour | None
    state: Literal["asked", "promised", "direct", "lost"] = "asked"
    is_used: bool = False
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, call: SkillCall) -> None:
        """A repeated request does not take back what was promised."""
        if self.state != "promised":
            self.state = "lost" if not call.is_valid else "promised" if call.uses_callback else "direct"
        self.answered.set()


class KakaoChannel:
    """`async with KakaoChannel("http://127.0.0.1:8420") as channel:` serves on `channel.url`, which the relay must be
    told to allow (PABAL_RELAY_CALLBACK_HOSTS). `relay_url` and `behaviour` may be changed at any time."""

    def __init__(self, relay_url: str, options: ChannelOptions | None = None) -> None:
        self.options = options or ChannelOptions()
        self.relay_url = relay_url
        self.behaviour = self.options.behaviour
        self.journal: Journal[ChannelEntry] = Journal(self.options.log, tell=self.options.tell)
        self.bubbles: dict[str, list[ShownBubble]] = defaultdict(list)
        # of the last answer to each user, until they speak
        self.quick_replies: dict[str, list[dict[str, Any]]] = {}
        self.url = ""
        self._numbers = count(1)
        self._callbacks: dict[str, _Callback] = {}
        self._bot_users: dict[str, str] = {}
        self._server = AskedServer(quiet(self._make_app(), http=_MayHangUp, timeout_graceful_shutdown=1))

    async def __aenter__(self) -> Self:
        try:
            self._socket = socket.create_server(("127.0.0.1", self.options.port))
        except OSError as error:
            raise ChannelPortTaken(f"{self.options.port}: {error.strerror or error}") from error
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        # let go before a server does, which closes what was idle for five seconds: a request must not meet that
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=2)
        self._client = httpx2.AsyncClient(timeout=None, limits=limits, trust_env=False)
        self._serving = asyncio.create_task(self._server.serve(sockets=[self._socket]), name="kakao simulator")
        await self._server.is_up.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.asked.set()
        await self._serving
        self._socket.close()
        await self._client.aclose()
        self.journal.close()

    async def say(  # long: one parameter for each field of the payload that differs
        self,
        user: str,
        text: str,
        *,
        with_callback: bool = True,
        lang: str = "ko",
        event_id: str | None = None,
        bot_id: str = "simbot",
        nulls: bool = False,
        behaviour: CallbackBehaviour | None = None,
    ) -> SkillCall:
        """`behaviour` is that of this message's callback address, instead of the channel's."""
        number, token = next(self._numbers), secrets.token_hex(16)
        callback_url = f"{self.url}/v1/bots/{bot_id}/callback/{token}" if with_callback else None
        if with_callback:
            until = elapsed() + self.options.life_seconds
            self._callbacks[token] = _Callback(number, user, bot_id, until, behaviour)
        self._bot_users[name_bot_user(bot_id, user)] = user
        utterance = Utterance(user, text, bot_id, lang, callback_url, event_id, has_nulls=nulls)
        return await self._ask(SkillAsked(moment(), number, user, text, make_payload(utterance), callback_url))

    async def repeat(self, call: SkillCall | SkillAsked) -> SkillCall:
        """The very same request once more."""
        number = next(self._numbers)
        return await self._ask(SkillAsked(moment(), number, call.user, call.text, call.payload, call.callback_url))

    async def wait_for_bubbles(self, user: str, count: int, seconds: float = 30.0) -> list[ShownBubble]:
        """All that the user has seen, once they are at least so many."""
        await self.journal.until(lambda: len(self.bubbles[user]) >= count, seconds)
        return list(self.bubbles[user])

    async def wait_for_callbacks(self) -> None:
        """Until every callback that was promised was used, or is over."""
        ends = [one.until for one in self._callbacks.values() if self._is_open(one)]
        if ends:
            seconds = max(ends) - elapsed()
            with suppress(TimeoutError):
                await self.journal.until(lambda: not any(map(self._is_open, self._callbacks.values())), seconds)

    @staticmethod
    def _is_open(callback: _Callback) -> bool:
        return callback.state == "promised" and not callback.is_used and elapsed() < callback.until

    async def _ask(self, asked: SkillAsked) -> SkillCall:
        self.journal.add(asked)
        self.quick_replies.pop(asked.user, None)
        began = elapsed()
        status, response, fault = await self._post(asked.payload)
        seconds = elapsed() - began
        if not fault:
            fault = find_answer_fault(response, has_callback=asked.callback_url is not None)
        where = (asked.number, asked.user, asked.text, asked.payload, asked.callback_url)
        call = SkillCall(moment(), *where, status, response, seconds, fault)
        if asked.callback_url is not None:
            self._callbacks[asked.callback_url.rpartition("/")[2]].hear(call)
        self.journal.add(call)
        if call.is_valid and not call.uses_callback:
            self._show(call.user, "answer", call.number, response["template"])
        return call

    async def _post(self, payload: dict[str, Any]) -> tuple[int | None, Any, str]:
        headers = {"Content-Type": "application/json"}
        if self.options.secret:
            headers[self.options.secret_header] = self.options.secret
        url = self.relay_url.rstrip("/") + self.options.path
        try:
            async with asyncio.timeout(self.options.limit_seconds):
                answer = await self._client.post(url, content=json.dumps(payload).encode(), headers=headers)
        except TimeoutError:
            return None, None, f"no answer within {self.options.limit_seconds:g} s"
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            return None, None, f"{type(error).__name__}: {error}"
        body = _parse(answer.content)
        return answer.status_code, body, "" if answer.status_code == 200 else f"HTTP {answer.status_code}"

    def _show(self, user: str, origin: Literal["answer", "callback"], number: int, template: dict[str, Any]) -> None:
        self.quick_replies[user] = template.get("quickReplies") or []
        for output in template["outputs"]:
            self._add_bubble(ShownBubble(moment(), user, origin, number, *read_output(output), output))

    def _add_bubble(self, bubble: ShownBubble) -> None:
        self.bubbles[bubble.user].append(bubble)
        self.journal.add(bubble)

    def _make_app(self) -> Starlette:
        routes = [
            Route("/v1/bots/{bot}/callback/{token}", self._take_callback, methods=["POST"]),
            Route("/v2/bots/{bot}/talk", self._take_event, methods=["POST"]),
        ]
        return Starlette(routes=routes)

    async def _take_callback(self, request: Request) -> Response:
        bot_id, token = request.path_params["bot"], request.path_params["token"]
        skill = _parse(await request.body())
        callback = self._callbacks.get(token)
        if callback is not None and self.options.holds_overtaking:
            await callback.answered.wait()
        behaviour = self.behaviour if callback is None or callback.behaviour is None else callback.behaviour
        outcome, fault = _judge_callback(callback, bot_id)
        if outcome is CallbackOutcome.SHOWN and callback is not None:
            callback.is_used = True
            outcome, fault = _judge(behaviour, find_skill_fault(skill))
        number, user = (None, None) if callback is None else (callback.number, callback.user)
        use = CallbackUse(moment(), token, number, user, skill, outcome, fault, str(uuid4()))
        self.journal.add(use)
        if outcome is CallbackOutcome.SHOWN and callback is not None:
            self._show(callback.user, "callback", callback.number, skill["template"])
        return await self._answer(request, use, behaviour)

    async def _take_event(self, request: Request) -> Response:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme != "KakaoAK" or not key or self.options.rest_key not in ("", key):
            return JSONResponse({"msg": "wrong appKey format", "code": -401}, 401)
        bot_id, body = request.path_params["bot"], _parse(await request.body())
        users, fault = self._read_event(body)
        outcome, fault = _judge(self.behaviour, fault)
        call = EventCall(moment(), bot_id, users, body, outcome, fault, str(uuid4()))
        self.journal.add(call)
        if outcome is CallbackOutcome.SHOWN:
            data = body["event"].get("data") or {}
            text = str(data.get("text") or json.dumps(data, ensure_ascii=False))
            for user in users:
                self._add_bubble(ShownBubble(moment(), user, "event", None, "event", text, body["event"]))
        return await self._answer(request, call, self.behaviour)

    def _read_event(self, body: Any) -> tuple[tuple[str, ...], str]:
        """Whom it is for, as plusfriendUserKeys; and what is wrong with it."""
        event, users = (body.get("event"), body.get("user")) if isinstance(body, dict) else (None, None)
        if not isinstance(event, dict) or not event.get("name") or not isinstance(event.get("data") or {}, dict):
            return (), "no event with a name"
        if not isinstance(users, list) or not users or not all(isinstance(one, dict) for one in users):
            return (), "no user"
        if any(one.get("type") not in ("plusfriendUserKey", "botUserKey", "appUserId") for one in users):
            return (), "a user's type is not known"
        keys = [str(one.get("id", "")) for one in users]
        return tuple(self._bot_users.get(key, key) for key in keys), ""

    async def _answer(self, request: Request, use: CallbackUse | EventCall, behaviour: CallbackBehaviour) -> Response:
        if use.outcome in (CallbackOutcome.SHOWN, *_MISBEHAVED) and behaviour.slow:
            await asyncio.sleep(behaviour.slow)
        if use.outcome is CallbackOutcome.DIED:
            request.scope["state"][_HANG_UP]()
            await request.receive()  # the server must know that nobody is there before this returns
        status = {CallbackOutcome.SHOWN: "SUCCESS", CallbackOutcome.ERROR: "ERROR"}.get(use.outcome, "FAIL")
        code = {"SUCCESS": 200, "ERROR": 500, "FAIL": self.options.fail_status}[status]
        at = int(host_time() * 1000)
        message = _MESSAGES[use.outcome]
        return JSONResponse({"taskId": use.task_id, "status": status, "message": message, "timestamp": at}, code)


_MISBEHAVED = (CallbackOutcome.DIED, CallbackOutcome.ERROR, CallbackOutcome.REFUSED)


def _judge_callback(callback: _Callback | None, bot_id: str) -> tuple[CallbackOutcome, str]:
    """SHOWN where the address may be used."""
    if callback is None:
        return CallbackOutcome.UNKNOWN, "no such token"
    if callback.bot_id != bot_id:
        return CallbackOutcome.WRONG_BOT, f"it is of {callback.bot_id}"
    if callback.is_used:
        return CallbackOutcome.USED, "used before"
    if elapsed() >= callback.until:
        return CallbackOutcome.EXPIRED, "too late"
    match callback.state:
        case "asked":
            return CallbackOutcome.OVERTAKING, "the webhook has not been answered yet"
        case "direct":
            return CallbackOutcome.UNASKED, "the webhook's answer had no useCallback"
        case "lost":
            return CallbackOutcome.UNKNOWN, "the webhook gave no valid answer"
    return CallbackOutcome.SHOWN, ""


def _judge(behaviour: CallbackBehaviour, fault: str) -> tuple[CallbackOutcome, str]:
    if behaviour.die:
        return CallbackOutcome.DIED, fault
    if behaviour.error:
        return CallbackOutcome.ERROR, fault
    if behaviour.refuse:
        return CallbackOutcome.REFUSED, fault
    return (CallbackOutcome.BAD_SKILL if fault else CallbackOutcome.SHOWN), fault


def _parse(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content.decode(errors="replace")


class _MayHangUp(HttpToolsProtocol):
    """Lets an endpoint close its connection before a byte of an answer was sent."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"][_HANG_UP] = self.transport.close
