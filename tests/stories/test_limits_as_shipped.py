"""What holds where nobody has set anything: other tests give themselves smaller limits to come to their ends."""

from dataclasses import asdict
from datetime import timedelta

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.listener.server import Limits
from pabal.base.settings import Settings
from pabal.platform.web.bodies import BodyLimits
from pabal.platform.web.turns import Shares
from pabal.protocol import ConnectionLimits
from pabal.web import make_web
from tests.base.test_pages import SQL
from tests.support.web import Web

SHARES = {
    "requests": 32,
    "guests": 48,
    "streams": 20,
    "connections": 4,
    "wait": 5,
    "guest_burst": 300,
    "guest_seconds": 12,
    "refusal_wait": 1,
}
BODIES = {
    "most": 1_000_000,
    "guest": 65_536,
    "fields": 1000,
    "field": 524_288,
    "depth": 64,
    "values": 10_000,
    "longest_pause": timedelta(seconds=10),
    "longest": timedelta(seconds=30),
}
CONNECTIONS = {
    "most": 1000,
    "per_address": 100,
    "head": 10,
    "idle": 5,
    "unread": 60,
    "linger": 2,
    "linger_bytes": 262_144,
    "head_bytes": 65_536,
    "headers": 100,
    "pipelined": 8,
}


@pytest.mark.parametrize(
    ("pool", "statement", "lock"), [("pages", "10s", "5s"), ("changes", "30s", "5s"), ("identity", "5s", "3s")]
)
async def test_statements_and_locks_of_requests_have_their_time(web: Web, pool: str, statement: str, lock: str):
    [session] = await getattr(web.app.services, pool).rows(SQL.read_session)

    assert (session["statement"], session["lock"]) == (statement, lock)


async def test_a_server_gives_everybody_the_shares_and_bodies_that_are_promised(web: Web):
    state = make_web(web.app, web.app.site).state

    assert asdict(state.turns.shares) == asdict(Shares()) == SHARES
    assert asdict(state.body_limits) == asdict(BodyLimits()) == BODIES


def test_connections_are_as_many_and_as_slow_as_promised():
    fields = Settings.model_fields

    assert asdict(ConnectionLimits()) == CONNECTIONS
    assert (fields["web_connections"].default, fields["web_connections_per_address"].default) == (1000, 100)


def test_strangers_on_the_bots_port_are_as_many_as_promised():
    assert (own.MAX_STRANGERS.default, own.MAX_STRANGERS_PER_ADDRESS.default) == (400, 200)
    # until the settings have been read
    assert (Limits().strangers, Limits().strangers_of_address) == (400, 200)
