"""Which methods an address takes, over all routers: what `Allow` says, and what a literal address refuses."""

from dataclasses import dataclass, field
from re import Pattern

from fastapi import FastAPI, Request
from fastapi.routing import iter_route_contexts

from pabal.platform.web.problems import MethodNotAllowed


@dataclass
class Addresses:
    """Those without a parameter by themselves: `/bots/summary` is no bot's, whatever the method."""

    literal: dict[str, set[str]] = field(default_factory=dict)
    patterns: dict[str, tuple[Pattern[str], set[str]]] = field(default_factory=dict)

    def methods_of(self, path: str) -> set[str]:
        if path in self.literal:
            return self.literal[path]
        return {method for regex, methods in self.patterns.values() if regex.match(path) for method in methods}


def addresses_of(app: FastAPI) -> Addresses:
    """Gathered once: they depend on the code only."""
    if not hasattr(app.state, "addresses"):
        app.state.addresses = _gather(app)
    found: Addresses = app.state.addresses
    return found


def refuse_method(request: Request) -> None:
    """A route with `{id}` would take the rest of a literal address for an id that nobody has."""
    taken = addresses_of(request.app).literal.get(request.url.path)
    if taken is not None and request.method not in taken:
        raise MethodNotAllowed(request.method)


def show_allowed(request: Request) -> str:
    return ", ".join(sorted(addresses_of(request.app).methods_of(request.url.path)))


def _gather(app: FastAPI) -> Addresses:
    found = Addresses()
    for one in iter_route_contexts(app.routes):
        if not one.path or not one.methods:
            continue
        if "{" in one.path:
            found.patterns.setdefault(one.path, (one.path_regex, set()))[1].update(one.methods)
        else:
            found.literal.setdefault(one.path, set()).update(one.methods)
    return found
