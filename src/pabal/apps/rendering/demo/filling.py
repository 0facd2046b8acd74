"""What the demo begins with: the sample compositions, and nine jobs, one at least in each state. Takes it out again."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from pabal.apps.rendering.actions.compositions import put_composition
from pabal.apps.rendering.actions.requesting import RenderRequest, request
from pabal.apps.rendering.demo.places import WORKERS, DemoPlaces, find_slot
from pabal.apps.rendering.files.paths import output_path
from pabal.apps.rendering.machine import RENDER, RenderEvent
from pabal.apps.rendering.model.compositions import Composition
from pabal.apps.rendering.model.renders import Reason, Stage, uid_of
from pabal.apps.rendering.samples import sample_compositions, sample_gfx
from pabal.apps.rendering.settings import PATH_TEMPLATE
from pabal.apps.rendering.startup import worker_uuid
from pabal.apps.rendering.store import compositions, renders, traces
from pabal.apps.rendering.store.renders import NewRender
from pabal.base.database import Tx
from pabal.base.sql import load as load_sql
from pabal.engine import transitions
from pabal.engine.queue import Priority
from pabal.engine.transitions import transition
from pabal.platform.actor import ENGINE
from pabal.platform.secrets import Vault
from pabal.platform.services import Services

SQL = load_sql(__file__)
ZONE = ZoneInfo("Asia/Seoul")
UNIT = "부산총판"
# Smaller than the real ones: their films are made on whatever machine the demo runs on.
WIDTH, HEIGHT = 1280, 720
ON_AIR = timedelta(minutes=20)
# Which job shows which state while one looks: one is held up on its way to nexrender, one renders for minutes, one has
# just finished and encodes, one has its film a minute later than nexrender says, one waits for a slot.
PREPARING, RENDERING, ENCODING, UPLOADING, WAITING = "notice", "credits", "event-title", "pot-size", "hand-ranking"
HELD = (PREPARING, RENDERING, ENCODING, UPLOADING)


@dataclass(frozen=True)
class Past:
    """A job that ended so many minutes ago, and how long it rendered."""

    composition_id: str
    minutes: float
    seconds: float
    state: str = "completed"
    detail: str = ""


PAST = (
    Past("chip-leader", 96, 41),
    Past("pot-size", 52, 23),
    Past("player-versus", 37, 12, "failed", "Error: aerender ERROR: No comp was found with the given name."),
    Past("level-clock", 15, 8, "cancelled", "cancelled by 김서연"),
)


async def load(tx: Tx) -> None:
    """What a house of one's own has under the same names stays as it is."""
    unit_id: int = await tx.value(SQL.find_unit, name=UNIT)
    samples = sample_compositions()
    for one in samples.compositions:
        if await compositions.find_composition(tx, one.id) is None:
            fields = [each for each in samples.mappings if each.composition_id == one.id]
            await put_composition(tx, ENGINE, _shrink(one), fields, unit_id=unit_id)


def _shrink(one: Composition) -> Composition:
    return replace(one, width=WIDTH, height=HEIGHT, duration_seconds=None, duration_tolerance=None)


async def clear(tx: Tx) -> None:
    """Rows only: films stay where they are. Whoever still renders one of them finds it gone and lets go."""
    await tx.run(SQL.delete_renders)
    await tx.run(SQL.delete_compositions)
    for worker_id in WORKERS:
        await tx.run(SQL.delete_slots, worker_id=str(worker_uuid(worker_id)))


async def ask(services: Services) -> None:
    """Once: what became of the jobs since is kept when a demo starts again."""
    async with services.database.transaction() as tx:
        unit_id = await tx.value(SQL.find_unit, name=UNIT)
        if unit_id is None or await tx.value(SQL.has_renders):
            return
        places = DemoPlaces.of(services.settings.data_dir)
        for past in PAST:
            await _remember(tx, services.vault, places, unit_id, past)
        for composition_id in HELD:
            wanted = RenderRequest(composition_id, sample_gfx(composition_id), priority=Priority.HIGH, again=True)
            await request(tx, ENGINE, services.vault, wanted, unit_id=unit_id)
        await request(tx, ENGINE, services.vault, _needed_soon(tx), unit_id=unit_id)


def _needed_soon(tx: Tx) -> RenderRequest:
    return RenderRequest(WAITING, sample_gfx(WAITING), cue_item_id="CUE-2015", on_air_at=tx.now + ON_AIR, again=True)


async def ask_again(services: Services) -> None:
    """Whoever starts a demo wants to see one finish: if nothing goes on, one more is asked for."""
    async with services.database.transaction() as tx:
        unit_id = await tx.value(SQL.find_unit, name=UNIT)
        if unit_id is not None and not await tx.value(SQL.has_open):
            await request(tx, ENGINE, services.vault, _needed_soon(tx), unit_id=unit_id)


async def find_open(tx: Tx, composition_id: str) -> int | None:
    found: int | None = await tx.value(SQL.find_open, composition_id=composition_id)
    return found


@dataclass(frozen=True)
class DemoFilm:
    """Of a completed job: where its film is, and under which name nexrender had it."""

    render_id: int
    path: str
    composition_name: str
    uid: str


async def list_films(tx: Tx) -> list[DemoFilm]:
    return await tx.all(DemoFilm, SQL.list_films)


async def note_film(tx: Tx, render_id: int, *, size: int, sha256: str) -> None:
    await tx.run(SQL.note_film, id=render_id, size=size, sha256=sha256)


async def _remember(tx: Tx, vault: Vault, places: DemoPlaces, unit_id: int, past: Past) -> None:
    """As it would have been written then."""
    row = await compositions.find_composition(tx, past.composition_id)
    if row is None:
        return
    ago = timedelta(minutes=past.minutes)
    with _ago(tx, ago):
        new = NewRender(
            unit_id=unit_id,
            composition_id=row.id,
            composition_name=row.name,
            gfx_data=vault.seal(json.dumps(sample_gfx(row.id), ensure_ascii=False)),
            content_hash=f"demo:{row.id}",
            broadcast_date=tx.now.astimezone(ZONE).date(),
            requested_by=ENGINE.name,
        )
        render_id = await renders.insert_render(tx, new)
        await transitions.begin(tx, RENDER, [render_id], actor=ENGINE.name)
        await traces.add_line(tx, render_id, "INFO", f"queued: {row.name}")
    await _work(tx, places, render_id, past, ago)


async def _work(tx: Tx, places: DemoPlaces, render_id: int, past: Past, ago: timedelta) -> None:
    slot, name = find_slot(render_id)
    actor = f"{traces.WORKER}{slot}"
    is_whole = past.state == "completed"
    steps = [
        (RenderEvent.CLAIM, Stage.PREPARE, 2.0),
        (RenderEvent.SUBMIT, Stage.RENDER, past.seconds),
        *([(RenderEvent.ENCODE, Stage.ENCODE, 3.0), (RenderEvent.UPLOAD, Stage.VALIDATE, 4.0)] if is_whole else []),
    ]
    for event, stage, seconds in steps:
        ago -= timedelta(seconds=1)
        with _ago(tx, ago):
            moved = await transition(tx, RENDER, render_id, event, actor=actor)
            await traces.add_line(tx, render_id, "INFO", f"status: {moved.source} → {moved.target}", worker=name)
            if event is RenderEvent.CLAIM:
                await traces.insert_attempt(tx, render_id, 1, worker_id=slot, worker_name=name)
            if event is RenderEvent.SUBMIT:
                await renders.note_posting(tx, render_id, uid_of(render_id, 1))
                await renders.note_submitted(tx, render_id)
            await traces.begin_stage(tx, render_id, 1, stage)
        ago -= timedelta(seconds=seconds)
        with _ago(tx, ago):
            await traces.end_stage(tx, render_id, 1, stage)
    with _ago(tx, ago):
        await (_complete if is_whole else _end)(tx, places, render_id, past, actor)


async def _complete(tx: Tx, places: DemoPlaces, render_id: int, past: Past, actor: str) -> None:
    """Its film is made when the demo runs."""
    [found] = await renders.hold_renders(tx, [render_id])
    relative = output_path(
        PATH_TEMPLATE.default,
        render_id=render_id,
        composition_name=found.composition_name,
        broadcast_date=found.broadcast_date,
    )
    await renders.note_rendered(tx, render_id, str(places.output / f"job_{render_id}_a1.mp4"))
    await renders.note_output(tx, render_id, path=str(places.films / Path(relative)), size=0, sha256="")
    await traces.end_attempt(tx, render_id, 1, result="completed")
    await transition(tx, RENDER, render_id, RenderEvent.COMPLETE, actor=actor)
    await traces.add_line(tx, render_id, "INFO", "status: uploading → completed")


async def _end(tx: Tx, places: DemoPlaces, render_id: int, past: Past, actor: str) -> None:
    is_failed = past.state == "failed"
    event = RenderEvent.FAIL if is_failed else RenderEvent.CANCEL
    reason = Reason.NEXRENDER_ERROR if is_failed else Reason.CANCELLED
    await renders.note_end(tx, render_id, reason.value, past.detail)
    await transition(tx, RENDER, render_id, event, actor=actor if is_failed else ENGINE.name, reason=reason.value)
    await traces.end_attempt(tx, render_id, 1, result=past.state, reason=reason.value, detail=past.detail)
    level = "ERROR" if is_failed else "INFO"
    await traces.add_line(tx, render_id, level, f"{past.state}: {past.detail}")


@contextmanager
def _ago(tx: Tx, ago: timedelta) -> Iterator[None]:
    now = tx.now
    tx.now = now - ago
    try:
        yield
    finally:
        tx.now = now
