"""A viewer tries every form of the console: each is refused, and nothing is changed."""

from collections.abc import Iterator

from fastapi._compat import ModelField
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import BaseModel

from pabal.engine import ids, queue
from pabal.engine.queue import NewJob
from pabal.platform import audit
from pabal.platform.actor import Role
from tests.support.pages import visitor
from tests.support.web import Web

# one's own affairs: what anybody signed in may do for themselves
OWN = ("/account/", "/logout", "/scope", "/theme", "/welcome", "/sign-in", "/notifications/read")
# only leads to a page that looks
LOOKS = ("/bulks/choose",)
# whether a request stands in one's own way
OWN_VIEW = ("/approvals/{approval_id}/later", "/approvals/{approval_id}/now")


def list_forms(web: Web) -> Iterator[tuple[str, Dependant]]:
    for found in iter_route_contexts(web.site.routes):
        route = found.original_route
        if (
            isinstance(route, APIRoute)
            and "POST" in route.methods
            and not route.path.startswith(("/api/", *OWN, *LOOKS, *OWN_VIEW))
        ):
            yield route.path, route.dependant


def fill(path: str, takes: Dependant, names: dict[str, str]) -> tuple[str, dict[str, str]]:
    """An address with things that are there, and a form in which every field has something."""
    for field in takes.path_params:
        path = path.replace("{" + field.name + "}", names.get(field.name, "1"))
    return path, {name: names.get(name, "1") for field in takes.body_params for name in _fields_of(field)}


def _fields_of(field: ModelField) -> list[str]:
    """A form may be read field by field or as a model."""
    kind = field.field_info.annotation
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [info.alias or name for name, info in kind.model_fields.items()]
    return [field.alias]


async def test_every_form_of_the_console_is_refused(web: Web) -> None:
    async with web.db.transaction() as tx:
        job = await queue.enqueue(tx, NewJob("demo.greet", unit_id=web.unit("haeundae").id))
    client = await visitor(web, "haeundae", Role.VIEWER)
    names = {
        "job_id": str(job),
        "id": str(job),
        "key": "backup.keep_days",
        "name": "alert",
        "by": "1h",
        "action": "cancel",
        "fire_at": "2099-01-01T00:00:00Z",
        "level": "branch",
        "role": "viewer",
        "priority": "urgent",
        "event": "acknowledge",
        "unit_id": str(web.unit("haeundae").id),
        "days": "30",
        "hours": "24",
        "verdict": "approve",
        "kind": "telegram",
        "noun": "platform.alerts",
        "verb": "acknowledge",
        "since": "2026-11-17T09:00",
    }

    answers = {}
    for path, takes in list_forms(web):
        address, form = fill(path, takes, names)
        answers[path] = (await client.post(address, data=form)).status_code

    assert len(answers) > 20
    # 405: a path of REST, which has another beginning there and takes no form here
    assert {path: status for path, status in answers.items() if status not in (403, 404, 405)} == {}
    async with web.db.transaction() as tx:
        viewer = (await web.person("haeundae", Role.VIEWER)).actor().name
        assert await audit.list_entries(tx, audit.Wanted(actor=viewer, action="[!s]*")) == []
        assert (await queue.get_place(tx, ids.read("job", str(job)))).result is None
