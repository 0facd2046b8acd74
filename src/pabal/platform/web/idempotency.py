"""Idempotency-Key: the same request sent twice does its thing once, and is answered the same.

The answer is written in the commit of the change; while that is open an advisory lock says so. A crash in between
leaves neither, so the next try does it.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Depends, Header
from fastapi.responses import Response

from pabal.base.database import Database, Tx
from pabal.base.errors import Conflict, Invalid
from pabal.base.sql import load
from pabal.platform.operating.model import tried
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit

SQL = load(__file__)
HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
# for the description of a route that calls `required`
KEY_REQUIRED = {"x-key-required": True}
KEPT = timedelta(hours=24)
LONGEST = 200
_KEPT_HEADERS = ("content-type", "location", "etag")

Act = Callable[[Tx], Awaitable[Response]]


class KeyNeeded(Invalid, code="key_needed"):
    """This needs an Idempotency-Key header, so that sending it again cannot do it twice. Send any new unique text."""

    status = 400


class BadKey(Invalid, code="bad_key"):
    """An Idempotency-Key has 1 to 200 visible characters."""

    status = 400


class KeyReused(Invalid, code="key_reused"):
    """This Idempotency-Key came with another request before. Use a new key for a new request."""


class KeyInProgress(Conflict, code="key_in_progress"):
    """The first request with this Idempotency-Key is still being worked on. Ask again in a moment."""

    retry_after = 1


@dataclass(frozen=True)
class Answered:
    request: bytes
    status: int
    headers: dict[str, str]
    body: str


@dataclass(frozen=True)
class Once:
    """A route's way to change something: `act` gets the one transaction and answers; both are kept, or neither."""

    visit: Visit
    key: str | None

    async def run(self, act: Act, *, fingerprint: bytes | None = None, dry_run: bool = False) -> Response:
        """`fingerprint` stands for a body that is too large to be held. With `dry_run` what was done is taken back."""
        if self.key is None:
            async with self.visit.change() as tx, tried(tx, dry_run=dry_run):
                return await act(tx)
        request = await _digest(self.visit, fingerprint)
        async with self.visit.change() as tx:
            found = await _claim(tx, self.visit.actor.name, self.key)
            if found is not None:
                return self._replay(found, request)
            async with tried(tx, dry_run=dry_run):
                answer = await act(tx)
            await self._keep(tx, request, answer)
        return answer

    def required(self) -> "Once":
        if self.key is None:
            raise KeyNeeded
        return self

    def _replay(self, found: Answered, request: bytes) -> Response:
        if found.request != request:
            raise KeyReused
        body = self.visit.services.vault.open(found.body)
        return Response(body, found.status, {**found.headers, REPLAYED: "true"})

    async def _keep(self, tx: Tx, request: bytes, answer: Response) -> None:
        await tx.run(
            SQL.insert_answer,
            principal=self.visit.actor.name,
            key=self.key,
            request=request,
            status=answer.status_code,
            headers=_only(answer.headers),
            body=self.visit.services.vault.seal(bytes(answer.body).decode()),
            now=tx.now,
        )


def take_key(
    visit: Visitor,
    idempotency_key: Annotated[
        str | None,
        Header(
            alias=HEADER,
            description="Any unique text of up to 200 visible characters. Sent again with the same body within 24 "
            "hours, nothing is done twice and the first answer comes again.",
            examples=["2f1c8a7e-send-1"],
        ),
    ] = None,
) -> Once:
    key = idempotency_key
    if key is not None and not (1 <= len(key) <= LONGEST and key.isascii() and key.isprintable() and key.strip()):
        raise BadKey
    return Once(visit, key)


OnceOnly = Annotated[Once, Depends(take_key)]


async def forget_once(database: Database) -> int:
    """A step for housekeeping: drops what is past its day."""
    async with database.transaction() as tx:
        return await tx.run(SQL.delete_old, before=tx.now - KEPT)


async def _claim(tx: Tx, principal: str, key: str) -> Answered | None:
    if not await tx.value(SQL.try_lock, principal=principal, key=key):
        raise KeyInProgress
    return await tx.one(Answered, SQL.find_answer, principal=principal, key=key, since=tx.now - KEPT)


async def _digest(visit: Visit, fingerprint: bytes | None) -> bytes:
    body = await visit.request.body() if fingerprint is None else fingerprint
    said = f"{visit.request.method} {visit.here}\n".encode()
    return hashlib.sha256(said + body).digest()


def _only(headers: Mapping[str, Any]) -> dict[str, str]:
    return {name: headers[name] for name in _KEPT_HEADERS if name in headers}
