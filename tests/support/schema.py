"""Asks every endpoint of a description what its schema allows, and checks each answer against it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.transport.requests import ManagedCookiesSession

from pabal.platform.actor import Role
from pabal.platform.web.openapi import operations_of, schema_of
from pabal.platform.web.turns import Rate
from tests.support.web import Web

NOBODY = "nobody"
# it does not end, except for strangers, who are refused; it has tests of its own
ENDLESS = "follow_facts"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@dataclass(frozen=True)
class Asking:
    """Where, as whom, about what that is there, and how often each. `is_wrong`: with what its schema does not allow."""

    url: str
    headers: dict[str, str]
    known: dict[str, Any]
    times: int
    is_stranger: bool = False
    is_wrong: bool = False


def paths_of(site: FastAPI, prefixes: Sequence[str]) -> dict[str, Any]:
    return {path: one for path, one in schema_of(site)["paths"].items() if path.startswith(tuple(prefixes))}


async def try_paths(
    web: Web, paths: dict[str, Any], known: dict[str, Any], who: str, times: int, *, is_wrong: bool = False
) -> None:
    """Every operation of these paths; nothing is left out but the one that would not end."""
    web.site.state.rate = Rate(limit=1_000_000)
    headers = {"Accept-Language": "en"}
    if who != NOBODY:
        headers["Authorization"] = f"Bearer {await web.make_token('hq', Role(who))}"
    described = {**schema_of(web.site), "paths": paths}
    wanted = {operation["operationId"] for _, _, operation in operations_of(described)}

    asking = Asking(web.url, headers, known, times, is_stranger=who == NOBODY, is_wrong=is_wrong)
    tried = await asyncio.to_thread(_try_all, described, asking)

    assert tried == (wanted if who == NOBODY else wanted - {ENDLESS})


def _try_all(schema: dict[str, Any], asking: Asking) -> set[str]:
    described = schemathesis.openapi.from_dict(schema)
    tried: set[str] = set()
    # one connection for all, and nobody's netrc or proxy: each request opened its own and looked for both
    with ManagedCookiesSession() as session:
        session.trust_env = False
        session.headers.clear()
        for found in described.get_all_operations():
            operation = found.ok()
            name = operation.definition.raw["operationId"]
            if name != ENDLESS or asking.is_stranger:
                _try_one(operation, asking, session)
                tried.add(name)
    return tried


def _try_one(operation: Any, asking: Asking, session: ManagedCookiesSession) -> None:
    real = next((one for part, one in asking.known.items() if part in operation.path), None)
    numbers = count()
    mode = GenerationMode.NEGATIVE if asking.is_wrong else GenerationMode.POSITIVE

    @settings(
        max_examples=asking.times,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        number = next(numbers)
        if number % 2 == 0:
            _name_what_is_there(case, real)
        if "Idempotency-Key" in (case.headers or {}):
            # each its own: what is answered from memory tells nothing
            case.headers["Idempotency-Key"] = f"{operation.label} {number}"
        answer = case.call(base_url=asking.url, session=session, headers=asking.headers, timeout=30)
        case.validate_response(answer, checks=CHECKS)
        # no endpoint is public: what is, has pages or stands outside the description
        assert not asking.is_stranger or answer.status_code == 401, f"{operation.label}: {answer.status_code}"

    ask()


def _name_what_is_there(case: Any, real: Any) -> None:
    named = {"id": real, "month": real, "key": "notifications.keep"}
    named["name"] = "alert" if "machines" in case.operation.path else "engine.stuck_work"
    for name in case.path_parameters or {}:
        case.path_parameters[name] = named.get(name) or case.path_parameters[name]
