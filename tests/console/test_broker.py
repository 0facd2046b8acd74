"""The broker in the console: what came in and what became of it, what goes out, how far behind."""

import json
from collections import deque
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from pabal.base.database import Tx
from pabal.engine import facts
from pabal.platform.actor import Actor
from pabal.platform.broker import Event, EventNotApplied, store
from pabal.platform.broker.incoming import Intake
from pabal.platform.broker.line import Incoming, Outgoing, Wish
from tests.support.pages import read, visitor
from tests.support.web import Web

WISH = Wish("pabal.events", "here", timedelta(minutes=1))


async def pour(tx: Tx, actor: Actor, event: Event) -> None:
    if event.subject == "cup:2":
        raise EventNotApplied("the cup is full", why="guard_refused", report={"volume": 10, "잔": "가득"})


class OtherSide:
    """A broker that holds what was said to it."""

    def __init__(self, *said: Any) -> None:
        self._said = deque(said)

    async def take(self, wish: Wish, *, wait: float) -> Incoming | None:
        if not self._said:
            return None
        said = self._said.popleft()
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        return Incoming(f"place-{len(self._said)}", body, self.close, self.close)

    async def publish(self, stream: str, messages: Sequence[Outgoing], *, kept: int) -> None: ...

    async def count_pending(self, wish: Wish) -> int | None: ...

    async def close(self) -> None: ...


def an_event(number: int, cup: int) -> dict[str, Any]:
    return {"id": f"evt-{number}", "name": "test.pour", "subject": f"cup:{cup}", "data": {"차": "녹차"}}


async def test_each_event_that_came_in_says_what_became_of_it_and_why(web: Web) -> None:
    said = [an_event(1, 1), an_event(1, 1), an_event(2, 2), {"id": "evt-3", "name": "test.fly"}, b"no json"]
    intake = Intake(web.db, OtherSide(*said), {"test.pour": pour})
    for _ in said:
        await intake.take_once(WISH)
    async with web.db.transaction() as tx:
        await store.note_line(tx, "server-1", "in", error=None, pending=3)
        await store.note_line(tx, "server-1", "out", error="refused by 127.0.0.1")
        await facts.record(tx, "adgroup.running", "adgroup:7", {"event": "start", "reason": "아침"})
    client, korean = await visitor(web), await visitor(web, lang="ko")

    page, in_korean = await read(client, "/broker"), await read(korean, "/broker")
    refused, twice = await read(client, "/broker?result=refused"), await read(client, "/broker?result=duplicate")

    for word in ("evt-1", "came 1 more time", "the cup is full", "guard_refused", "no json", "event_unknown"):
        assert word in page
    assert '"잔": "가득"' in page
    assert "이 이름의 이벤트를 받는 앱이 없습니다" in in_korean
    assert "evt-1" not in refused
    assert ("evt-1" in twice, "evt-2" in twice) == (True, False)
    assert "refused by 127.0.0.1" in page
    assert "The broker does not answer every server" in page
    assert "adgroup.running" in page
    assert '"reason": "아침"' in page


async def test_without_a_broker_it_says_what_to_set_and_it_is_the_head_offices_business(web: Web) -> None:
    hq, branch = await visitor(web), await visitor(web, "haeundae")

    page = await read(hq, "/broker")

    assert "No server has a broker" in page
    assert "PABAL_BROKER_URL=redis://" in page
    assert "No event has come in yet" in page
    assert "Nothing matches these filters" in await read(hq, "/broker?subject=cup:9&cursor=odd")
    assert 'href="/broker"' in page
    await read(branch, "/broker", 403)
    assert 'href="/broker"' not in await read(branch, "/jobs")
