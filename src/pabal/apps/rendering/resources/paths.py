"""A path as each side calls it, and whether it can be read and written."""

from typing import TYPE_CHECKING

from pabal.platform.findings import FindingView, view_finding
from pabal.platform.language.pairs import Pair, put
from pabal.platform.resources import View, Viewer, field

if TYPE_CHECKING:
    from pabal.apps.rendering.places import PlaceSeen

PLACES: dict[str, Pair] = {
    "output": ("Where nexrender writes", "nexrender 출력 폴더"),
    "nas": ("NAS", "NAS"),
    "templates": ("Templates", "템플릿 폴더"),
    "template": ("Template", "템플릿"),
}


class PathSeenView(View):
    """`exists` is what this server sees; null: it has no name here, or did not answer."""

    place: str = field(("Place", "위치"), example="NAS")
    server: str | None = field(("On this server", "이 서버"), example="/mnt/nas/output")
    worker: str | None = field(("On the worker", "워커"), example="N:/output")
    unc: str | None = field(("On the NAS", "NAS 경로"), example="\\\\NAS\\broadcast\\output")
    exists: bool | None = field(("Exists", "존재"), example=True)
    readable: bool = field(("Readable", "읽기"), example=True)
    writable: bool = field(("Writable", "쓰기"), example=True)
    free_bytes: int | None = field(("Free (bytes)", "남은 공간(바이트)"), example=512_000_000_000)
    problem: FindingView | None = field(("Problem", "문제"), example=None)


def view_path(place: "PlaceSeen", viewer: Viewer) -> PathSeenView:
    name = put(viewer.lang, PLACES[place.kind])
    problem = None if place.problem is None else view_finding(place.problem, viewer.lang)
    return PathSeenView.of(place.seen, place=f"{name}: {place.name}" if place.name else name, problem=problem)
