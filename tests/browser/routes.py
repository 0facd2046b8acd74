"""Every page that can be asked for, from the routes themselves: a new page cannot be forgotten."""

import importlib
import re
from collections.abc import Iterator

from fastapi.routing import iter_route_contexts

from pabal import console
from pabal.base.settings import Settings, split_list
from pabal.demo import SLICE as DEMO
from pabal.platform.slice import Slice, load_slices
from pabal.platform.web import openapi

# These answer no page: data, files, and ways back to a page.
NO_PAGES = {
    "/ads/delayed.csv",
    "/ads/delayed/{ad_group_id}/{event}/{verb}",
    "/ads/groups/{ad_group_id}/history.csv",
    "/ads/groups/{ad_group_id}/send",
    "/ads/migration/flags",
    "/ads/migration/flags/clear",
    "/ads/migration/plan",
    "/ads/migration/{run_id}/report",
    "/ads/migration/{run_id}/{verb}",
    "/alerts/{alert_id}/points",
    "/audit.csv",
    # shows what was chosen in a list, and nothing was: VIEWS
    "/bulks/new",
    # the ribbon alone, for an open page
    "/demo/clock",
    "/health/series",
    "/language/{lang}",
    "/machines/{name}/{subject_id}/send",
    "/messages/deliveries.csv",
    "/messages/deliveries/archives/{month}",
    "/messages/files/{file_id}/thumbnail",
    "/messages/statistics.csv",
    "/notifications/channels/{channel_id}/{verb}",
    "/occurrences.csv",
    "/openapi.json",
    "/people/tokens/{token_id}/{verb}",
    "/people/units",
    "/people/units/{unit_id}/{verb}",
    "/people/users",
    "/people/users/{user_id}/{verb}",
    "/relay/accounts/{account_id}/rotate",
    "/render/jobs/{render_id}/log.txt",
    "/render/mapping/export.{format}",
    "/rules/by-number/{number}",
    "/rules/runs/by-number/{number}",
    "/rules/runs/{run_id}/artifacts/{file}",
    "/workflows/{workflow_id}/yaml",
}
# Where a link to such a page stands. The link is found by the route's own pattern.
FOUND_ON = {
    "/ads/campaigns/{campaign_id}": "/ads/campaigns",
    "/ads/campaigns/{campaign_id}/edit": "/ads/campaigns",
    "/ads/delayed/{ad_group_id}/{event}": "/ads/delayed",
    "/ads/groups/{ad_group_id}": "/ads/groups",
    "/ads/groups/{ad_group_id}/edit": "/ads/groups",
    "/ads/groups/{ad_group_id}/life": "/ads/groups",
    "/ads/migration/{run_id}": "/ads/migration",
    "/alerts/{alert_id}": "/alerts",
    "/approvals/{approval_id}": "/approvals",
    "/events/{seq}": "/events",
    "/facts/{seq}": "/facts",
    "/health/measures/{name}": "/health",
    "/jobs/{job_id}": "/jobs?view=ended",
    "/machines/{name}": "/machines",
    "/machines/{name}/{subject_id}": "/machines/kettle",
    "/messages/bots/{bot_id}": "/messages/bots",
    "/messages/deliveries/{delivery_id}": "/messages/deliveries?state=sent",
    "/messages/rooms/{room_id}": "/messages/deliveries?state=sent",
    "/messages/schedules/{schedule_id}": "/messages/schedules",
    "/messages/schedules/{schedule_id}/edit": "/messages/schedules",
    "/messages/schedules/{schedule_id}/test": "/messages/schedules",
    "/messages/templates/{template_id}": "/messages/templates",
    "/notifications/channels/{channel_id}": "/notifications/channels",
    # the one that furnishing.py numbers so
    "/notifications/channels/{channel_id}/deliveries/{delivery_id}": "/notifications/channels/900",
    "/people/tokens/{token_id}": "/people/tokens",
    "/people/units/{unit_id}": "/people",
    "/people/users/{user_id}": "/people",
    "/relay/accounts/{account_id}": "/relay/accounts",
    "/relay/accounts/{account_id}/edit": "/relay/accounts",
    "/relay/conversations/{conversation_id}": "/relay/conversations",
    "/relay/messages/{name}": "/relay",
    "/relay/pairing/{code}": "/relay/pairing",
    "/render/jobs/{render_id}": "/render",
    "/render/templates/{composition_id:path}": "/render/templates",
    "/rules/heartbeats/{heartbeat_id}": "/rules/heartbeats",
    "/rules/heartbeats/{heartbeat_id}/edit": "/rules/heartbeats",
    "/rules/plans/{plan_id}": "/rules/plans",
    "/rules/plans/{plan_id}/edit": "/rules/plans/1",
    "/rules/runs/{run_id}": "/rules/runs",
    "/rules/{rule_id}": "/rules",
    "/rules/{rule_id}/edit": "/rules",
    "/schedules/{schedule_id}": "/schedules",
    "/servers/{wrk_id}": "/servers",
    "/why/{subject}": "/jobs?view=ended",
    "/workflows/runs/{run_id}": "/workflows",
    "/workflows/{workflow_id}": "/workflows",
    "/workflows/{workflow_id}/edit": "/workflows/1",
}
# The same address shows something else altogether.
VIEWS = [
    *(f"/messages/statistics?view={view}" for view in ("places", "effect", "usage")),
    # what may be done to some of them and not to others; what asks for something first
    "/bulks/new?noun=messaging.rooms&verb=release&every=1&back=/messages/rooms",
    "/bulks/new?noun=messaging.rooms&verb=claim&every=1&filter=unclaimed%3Dtrue&back=/messages/rooms",
]
# Reached without a link: the secret is made for the walk, and a bulk is shown to whoever has just done it.
ONE_TIME_LINK = "/sign-in/link/{secret}"
BULK = "/bulks/{bulk_id}"


def list_pages() -> list[str]:
    return sorted({*VIEWS, *(path for path in _list_paths() if path not in NO_PAGES)})


def match_links(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{[^}]*\}", r"[^/?#]+", path) + r"([?#].*)?")


def list_slices() -> tuple[Slice, ...]:
    """What a server has whose settings say nothing."""
    return (DEMO, *load_slices(split_list(Settings.model_fields["apps"].default or "")))


def _list_paths() -> Iterator[str]:
    routers = [console.router, openapi.router]
    routers += [importlib.import_module(one.pages).router for one in list_slices() if one.pages]
    for router in routers:
        for route in iter_route_contexts(router.routes):
            if route.path is not None and "GET" in (route.methods or ()):
                yield route.path
