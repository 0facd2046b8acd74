"""Who calls the relay's own addresses: the holder of an account's token, counted and within its limit."""

from typing import Annotated, Any

from fastapi import Depends, Request

from pabal.apps.relay.errors import InstanceDisabled, RelayRateLimited, TokenInvalid, TokenMissing
from pabal.apps.relay.hub import Hub, hub_of
from pabal.apps.relay.store import mailboxes
from pabal.apps.relay.store.accounts import hash_token
from pabal.apps.relay.store.mailboxes import TokenHolder
from pabal.platform.web.doors import Door
from pabal.platform.web.identify import site_of
from pabal.platform.web.turns import take_turn

LONGEST_TOKEN = 200


def hub_for(request: Request) -> Hub:
    return hub_of(site_of(request).services)


def read_token(request: Request) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    found = token.strip()
    if scheme.lower() != "bearer" or not 0 < len(found) <= LONGEST_TOKEN:
        raise TokenMissing
    return found


async def open_holder(request: Request) -> TokenHolder:
    """One request of its account's minute. A long poll or a stream is one, however long it lasts."""
    services = site_of(request).services
    holder = await mailboxes.take_request(services.identity, hash_token(read_token(request)))
    if holder is None or (holder.session_until is not None and holder.session_until <= holder.now):
        raise TokenInvalid
    if holder.is_disabled:
        raise InstanceDisabled
    take_turn(request, f"relay:{holder.id}")
    request.state.relay_limits = limit_headers(holder)
    if holder.used > holder.limit:
        raise RelayRateLimited(retry_after=holder.reset_seconds)
    return holder


Holder = Annotated[TokenHolder, Depends(open_holder)]


def limit_headers(holder: TokenHolder) -> dict[str, str]:
    """As published clients know them."""
    return {
        "X-RateLimit-Limit": str(holder.limit),
        "X-RateLimit-Remaining": str(holder.remaining),
        "X-RateLimit-Reset": str(int(holder.window_ends_at.timestamp())),
    }


async def meet(request: Request) -> bool:
    try:
        token = read_token(request)
    except TokenMissing:
        return False
    services = site_of(request).services
    return await mailboxes.is_known(services.identity, hash_token(token))


def show_error(problem: dict[str, Any]) -> dict[str, Any]:
    """Published clients read `error`, a sentence, or `message`; and codes in capitals."""
    return {**problem, "code": str(problem["code"]).upper(), "error": problem["title"], "message": problem["title"]}


DOORS = (
    Door("/kakao/webhook", show=show_error, is_open=True),
    Door("/kakao-talkchannel/webhook", show=show_error, is_open=True),
    Door("/openclaw/", meet=meet, show=show_error),
    Door("/v1/", meet=meet, show=show_error),
)
