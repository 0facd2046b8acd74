"""What endpoints of described resources share: a signature that the web framework reads, and what is handed by name."""

from collections.abc import Awaitable, Callable, Sequence
from inspect import Parameter, Signature
from typing import Any

from fastapi.responses import Response

from pabal.platform.web.visit import Visit

Endpoint = Callable[..., Awaitable[Response]]


def needed(visit: Visit, names: Sequence[str], *, dry_run: bool = False) -> dict[str, Any]:
    """What descriptions are handed by name."""
    found: dict[str, Callable[[], Any]] = {
        "vault": lambda: visit.services.vault,
        "services": lambda: visit.services,
        "reader": lambda: visit.actor,
        "dry_run": lambda: dry_run,
    }
    return {name: found[name]() if name in found else getattr(visit.site, name) for name in names}


def signed(endpoint: Endpoint, name: str, help: str, /, **takes: Any) -> Endpoint:
    """The web framework reads what an endpoint takes from its signature, and its name and help from the function."""
    parameters = []
    for named, kind in takes.items():
        annotation, default = kind if isinstance(kind, tuple) else (kind, Parameter.empty)
        parameters.append(Parameter(named, Parameter.KEYWORD_ONLY, annotation=annotation, default=default))
    endpoint.__signature__ = Signature(parameters, return_annotation=Response)  # type: ignore[attr-defined]  # read by inspect
    endpoint.__name__, endpoint.__doc__ = name, help
    return endpoint
