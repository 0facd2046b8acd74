"""What Kakao calls. It always gets a valid skill response, well inside its five seconds, whatever happens here."""

import asyncio
import hmac
import json
import logging
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions.receiving import Direct, Waits, finish_waiting, receive, receive_at_once
from pabal.apps.relay.api.callers import hub_for
from pabal.apps.relay.errors import SecretWrong
from pabal.apps.relay.hub import Hub
from pabal.apps.relay.model.skill import Skill, SkillRequest, read_request, say
from pabal.apps.relay.store import receiving
from pabal.base.clock import elapsed
from pabal.base.errors import PabalError
from pabal.base.killpoints import kill_point
from pabal.base.telemetry import declare, emit
from pabal.platform.web.bodies import BodyLimits, check_json
from pabal.platform.web.identify import origin_of
from pabal.platform.web.problems import TooManyRequests
from pabal.platform.web.turns import Rate

declare("relay.webhook.nonsense", "Webhooks that were no skill request", level=logging.INFO)
declare("relay.webhook.refused", "Webhooks with a wrong secret", level=30)
declare("relay.webhook.busy", "Webhooks answered that it is too busy", labels=("why",), level=30)
declare("relay.webhook.failed", "Webhooks whose message could not be passed on", level=40)
declare("relay.callback.not_allowed", "Callback addresses that are none of Kakao's", level=30)

# for a connection to the database and all statements together
BUDGET_SECONDS = 2.0
BODY_SECONDS = 2.0
# what is left of Kakao's five seconds once the answer has been waited for
LAST_SECONDS = 0.6
LARGEST = 1_000_000
LOOK_AGAIN = 1.0
# of one server
MOST_AT_ONCE = 500
# of one address: Kakao calls from few
MOST_A_MINUTE = 12_000
_LIMITS = BodyLimits()

router = APIRouter(include_in_schema=False)


@router.post("/kakao/webhook")
@router.post("/kakao-talkchannel/webhook")
async def webhook(request: Request) -> Response:
    hub = hub_for(request)
    emit("relay.webhook.received")
    if hub.startup.secret and not _has_secret(request, hub):
        emit("relay.webhook.refused")
        raise SecretWrong
    if _is_too_much(request, hub):
        emit("relay.webhook.busy", why="rate")
        return _answer(say(hub.text(own.BUSY, "ko")))
    hub.webhooks += 1
    try:
        return _answer(await _handle(request, hub))
    except Exception as error:  # noqa: BLE001 -- whatever it was, a user waits for an answer
        emit("relay.webhook.failed", error=repr(error))
        return _answer(say(hub.text(own.FALLBACK, "ko")))
    finally:
        hub.webhooks -= 1


def _has_secret(request: Request, hub: Hub) -> bool:
    given = request.headers.get(hub.startup.secret_header, "")
    return hmac.compare_digest(given.encode(), hub.startup.secret.encode())


def _is_too_much(request: Request, hub: Hub) -> bool:
    if hub.webhooks >= MOST_AT_ONCE:
        return True
    rate: Rate = getattr(request.app.state, "webhook_rate", None) or Rate(limit=MOST_A_MINUTE, seconds=60)
    request.app.state.webhook_rate = rate
    try:
        rate.take(origin_of(request), elapsed())
    except TooManyRequests:
        return True
    return False


async def _handle(request: Request, hub: Hub) -> Skill:
    asked = await _read(request)
    if asked is None:
        emit("relay.webhook.nonsense")
        return say(hub.text(own.FALLBACK, "ko"))
    sender = request.scope.get("state", {}).get("sender")
    if sender is not None:
        sender.note_known()
    if asked.callback_url is not None and not hub.kakao.addresses.allows(asked.callback_url):
        emit("relay.callback.not_allowed")
        asked = asked.without_callback()
    return await _pass_on(request, hub, asked)


async def _read(request: Request) -> SkillRequest | None:
    """None where it cannot be a skill request: too large, too slow, no JSON, nobody who speaks."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST:
                    return None
        check_json(bytes(body), _LIMITS)
        return read_request(json.loads(body))
    except (TimeoutError, ValueError, RecursionError, PabalError):
        return None


async def _pass_on(request: Request, hub: Hub, asked: SkillRequest) -> Skill:
    if asked.callback_url is None and hub.waiting >= hub.most_waiting:
        emit("relay.webhook.busy", why="waiting")
        return say(hub.text(own.BUSY, asked.lang))
    uid = uuid4()
    began = elapsed()
    try:
        async with asyncio.timeout(BUDGET_SECONDS):
            decision, moment = await _receive(hub, asked, uid)
    except Exception as error:  # noqa: BLE001 -- whether the commit went through is unknown, and Kakao waits
        emit("relay.webhook.failed", error=repr(error))
        hub.doubt(uid)
        return say(hub.text(own.FALLBACK, asked.lang))
    kill_point("relay.queue_committed")
    if isinstance(decision, Direct):
        return decision.skill
    return await _wait(request, hub, decision, began + max(timedelta(0), decision.until - moment).total_seconds())


async def _receive(hub: Hub, asked: SkillRequest, uid: UUID) -> tuple[Direct | Waits, datetime]:
    """What was decided, and the moment of that."""
    changes = hub.services.changes
    if hub.known is not None:
        at_once = await receive_at_once(changes, asked, uid, hub.known)
        if at_once is not None:
            return at_once
    async with receiving.opening(changes, asked.conversation_key) as tx:
        decision = await receive(tx, asked, uid)
    hub.known = receiving.settings_of(tx)
    return decision, tx.now


async def _wait(request: Request, hub: Hub, waits: Waits, deadline: float) -> Skill:
    """Until its answer is there. Hints come from whichever server took it in; a look every second needs none."""
    async with hub.on_the_line(waits.uid) as answered:
        while True:
            # nobody would see it: it is kept for the user's next message
            if await request.is_disconnected():
                return say(hub.text(own.NO_ANSWER, waits.lang))
            is_over = elapsed() >= deadline
            skill = await _look(hub, waits, is_over=is_over, seconds=max(LAST_SECONDS, deadline - elapsed()))
            if skill is not None:
                return skill
            answered.clear()
            try:
                async with asyncio.timeout(min(LOOK_AGAIN, max(0.0, deadline - elapsed()))):
                    await answered.wait()
            except TimeoutError:
                continue


async def _look(hub: Hub, waits: Waits, *, is_over: bool, seconds: float) -> Skill | None:
    try:
        async with asyncio.timeout(seconds), hub.services.changes.transaction() as tx:
            return await finish_waiting(tx, waits, is_over=is_over)
    except Exception as error:  # noqa: BLE001 -- as above
        emit("relay.webhook.failed", error=repr(error))
        return say(hub.text(own.NO_ANSWER, waits.lang)) if is_over else None


def _answer(skill: Skill) -> Response:
    return JSONResponse(skill)
