"""Whatever one sends to any endpoint, it is answered as its description says, and never with a server error."""

import asyncio
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from pabal.platform.actor import Role
from pabal.platform.web.limits import Rate
from pabal.platform.web.openapi import schema_of
from tests.support.things import Things, make_things
from tests.support.web import Web

# it does not end; it has tests of its own
ENDLESS = "follow_facts"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@dataclass(frozen=True)
class Asking:
    """Where, as whom, about what that is there, and how often each."""

    url: str
    headers: dict[str, str]
    known: dict[str, Any]
    times: int


@pytest.mark.parametrize(("who", "times"), [("admin", 5), ("viewer", 2), ("nobody", 1)])
async def test_every_endpoint_answers_as_described(web: Web, who: str, times: int):
    web.site.state.rate = Rate(limit=1_000_000)
    things = await make_things(web.db, web.app.services.files, web.app.services.vault, web.tree.gangnam)
    headers = {"Accept-Language": "en"}
    if who != "nobody":
        headers["Authorization"] = f"Bearer {await web.make_token('hq', Role(who))}"

    asking = Asking(web.url, headers, _known_ids(things), times)
    tried = await asyncio.to_thread(_try_all, schema_of(web.site), asking)

    assert tried >= len(schema_of(web.site)["paths"])


def _known_ids(things: Things) -> dict[str, Any]:
    """Some requests are about what is there: others would mostly be answered with 404."""
    return {
        "/jobs/": things.job,
        "/schedules/": things.schedule,
        "/occurrences/": things.occurrence,
        "/why/": things.job,
        "/machines/{name}/subjects/": things.alert_number,
        "/facts/": things.fact,
        "/alerts/": things.alert,
        "/channels/": things.channel,
        "/users/": things.user,
        "/tokens/": things.token,
        "/units/": things.unit,
        "/files/": things.file,
    }


def _try_all(schema: dict[str, Any], asking: Asking) -> int:
    described = schemathesis.openapi.from_dict(schema)
    tried = 0
    for found in described.get_all_operations():
        operation = found.ok()
        if operation.definition.raw["operationId"] != ENDLESS:
            _try_one(operation, asking)
            tried += 1
    return tried


def _try_one(operation: Any, asking: Asking) -> None:
    real = next((one for part, one in asking.known.items() if part in operation.path), None)
    numbers = count()

    @settings(
        max_examples=asking.times,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy())
    def ask(case: Any) -> None:
        number = next(numbers)
        if number % 2 == 0:
            _name_what_is_there(case, real)
        if "Idempotency-Key" in (case.headers or {}):
            # each its own: what is answered from memory tells nothing
            case.headers["Idempotency-Key"] = f"{operation.label} {number}"
        answer = case.call(base_url=asking.url, headers=asking.headers, timeout=30)
        case.validate_response(answer, checks=CHECKS)

    ask()


def _name_what_is_there(case: Any, real: Any) -> None:
    named = {"id": real, "month": real, "key": "notifications.keep"}
    named["name"] = "alert" if "machines" in case.operation.path else "engine.stuck_work"
    for name in case.path_parameters or {}:
        case.path_parameters[name] = named.get(name) or case.path_parameters[name]
