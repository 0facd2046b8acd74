"""A router of many routes, which an address that begins otherwise passes by at once."""

from functools import cached_property

from fastapi import APIRouter
from fastapi.routing import iter_route_contexts
from starlette.routing import Match
from starlette.types import Scope


class Wing(APIRouter):
    """Routes are tried in turn, and each request is matched several times on its way: of some seven hundred routes most
    were tried for nothing. Only for what is included without a prefix, and has its routes before the first request.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        path = scope["path"]
        if path in self._literal or path.startswith(self._beginnings):
            return super().matches(scope)
        return Match.NONE, {}

    @cached_property
    def _literal(self) -> frozenset[str]:
        """Addresses without a hole."""
        found = iter_route_contexts(self.routes)
        return frozenset(one.path for one in found if one.path and one.methods and "{" not in one.path)

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        """What is literal of all others, up to the first hole."""
        paths = {one.path or "" for one in iter_route_contexts(self.routes)} - self._literal
        return tuple({path.partition("{")[0] for path in paths})
