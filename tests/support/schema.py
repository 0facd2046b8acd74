"""Asks every endpoint of a description what its schema allows, and checks each answer against it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
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

# it does not end, except for strangers, who are refused; it has tests of its own
ENDLESS = "follow_facts"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]

# about these paths, and by a part of their path what there is
Try = Callable[[Web, dict[str, Any], dict[str, Any]], Awaitable[None]]


@dataclass(frozen=True)
class Asker:
    """Somebody with a token, or a stranger without."""

    url: str
    session: ManagedCookiesSession
    token: str | None = None

    def ask(self, case: Any, number: int) -> None:
        headers = {"Accept-Language": "en"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if "Idempotency-Key" in (case.headers or {}):
            # each its own: what is answered from memory tells nothing
            case.headers["Idempotency-Key"] = f"{case.operation.label} {number}"
        answer = case.call(base_url=self.url, session=self.session, headers=headers, timeout=30)
        case.validate_response(answer, checks=CHECKS)
        # no endpoint is public: what is, has pages or stands outside the description
        assert self.token or answer.status_code == 401, f"{case.operation.label}: {answer.status_code}"


def paths_of(site: FastAPI, prefixes: Sequence[str]) -> dict[str, Any]:
    return {path: one for path, one in schema_of(site)["paths"].items() if path.startswith(tuple(prefixes))}


async def try_paths(web: Web, paths: dict[str, Any], known: dict[str, Any]) -> None:
    """Every operation of these paths with what its schema allows: by an administrator three times, the first and third
    about what is there, and before that the first by a stranger and by a viewer. To make the cases takes longer than to
    ask, so they are the same for all."""
    operations = _read(web, paths)
    cases = await asyncio.to_thread(_make_cases, operations, known, 3, GenerationMode.POSITIVE)
    first = [of_one[:1] for of_one in cases]

    await _ask_all(web, None, first)
    await _ask_all(web, Role.VIEWER, first)
    await _ask_all(web, Role.ADMIN, cases)


async def try_wrongly(web: Web, paths: dict[str, Any], known: dict[str, Any]) -> None:
    """Every operation of these paths with what its schema does not allow, twice by an administrator."""
    operations = _read(web, paths)
    cases = await asyncio.to_thread(_make_cases, operations, known, 2, GenerationMode.NEGATIVE)

    await _ask_all(web, Role.ADMIN, cases)


def _read(web: Web, paths: dict[str, Any]) -> list[Any]:
    described = {**schema_of(web.site), "paths": paths}
    operations = [found.ok() for found in schemathesis.openapi.from_dict(described).get_all_operations()]
    assert {_name(one) for one in operations} == {one["operationId"] for _, _, one in operations_of(described)}
    return operations


def _make_cases(operations: list[Any], known: dict[str, Any], times: int, mode: GenerationMode) -> list[list[Any]]:
    return [_make_some(one, known, times, mode) for one in operations]


def _make_some(operation: Any, known: dict[str, Any], times: int, mode: GenerationMode) -> list[Any]:
    real = next((one for part, one in known.items() if part in operation.path), None)
    made: list[Any] = []

    @settings(
        max_examples=times,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def make(case: Any) -> None:
        if len(made) % 2 == 0:
            _name_what_is_there(case, real)
        made.append(case)

    make()
    assert made, operation.label
    return made


def _name_what_is_there(case: Any, real: Any) -> None:
    named = {"id": real, "month": real, "key": "notifications.keep"}
    named["name"] = "alert" if "machines" in case.operation.path else "engine.stuck_work"
    for name in case.path_parameters or {}:
        case.path_parameters[name] = named.get(name) or case.path_parameters[name]


async def _ask_all(web: Web, role: Role | None, cases: list[list[Any]]) -> None:
    """Nothing is left out but the one that would not end."""
    web.site.state.rate = Rate(limit=1_000_000)
    token = await web.make_token("hq", role) if role else None

    def ask() -> None:
        # one connection for all, and nobody's netrc or proxy: each request opened its own and looked for both
        with ManagedCookiesSession() as session:
            session.trust_env = False
            session.headers.clear()
            asker = Asker(web.url, session, token)
            for of_one in cases:
                for number, case in enumerate(of_one):
                    if not token or _name(case.operation) != ENDLESS:
                        asker.ask(case, number)

    await asyncio.to_thread(ask)


def _name(operation: Any) -> str:
    return str(operation.definition.raw["operationId"])
