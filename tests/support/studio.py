"""What tests of rendering's faces share: compositions, slots, and renders in every state, without a farm."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid5

import pytest

from pabal.apps.rendering.actions import compositions as composition_actions
from pabal.apps.rendering.actions.requesting import RenderRequest, request
from pabal.apps.rendering.jobs.context import as_report
from pabal.apps.rendering.machine import RENDER, RenderEvent
from pabal.apps.rendering.model import gfx as gfx_model
from pabal.apps.rendering.model import mapping
from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.apps.rendering.model.renders import Reason, Render, Stage
from pabal.apps.rendering.simulator.films import Film, make_film
from pabal.apps.rendering.simulator.projects import make_project
from pabal.apps.rendering.startup import WORKERS
from pabal.apps.rendering.store import renders, slots, traces
from pabal.base.database import Database, Tx
from pabal.engine.transitions import transition
from pabal.platform.actor import ENGINE, Actor
from pabal.platform.secrets import Vault
from pabal.platform.tenants import Scope
from tests.support.people import Tree
from tests.support.web import SECRET

T = TypeVar("T")
HOUSE = Scope(None, None)
COMPOSITION = "mini-chip-count"
NAME = "_MAIN Mini Chip Count"
FILM = Film(320, 180, seconds=0.5)
VIDEO = {"size_bytes": 200_000, "codec": "h264", "width": 1920, "height": 1080, "duration": 12.0, "frames": 360}
MAPPINGS = (
    FieldMapping(COMPOSITION, "Slot 1 - name", "Name 1"),
    FieldMapping(COMPOSITION, "Slot 1 - stack", "Stack 1"),
    FieldMapping(COMPOSITION, "Single - pot", "Pot"),
)


def gfx(name: str = "KIM MINJAE", **more: Any) -> dict[str, Any]:
    slot = {"slot_number": 1, "fields": {"name": name, "stack": "2,250,000"}}
    return {"composition_name": NAME, "slots": [slot], "single_fields": {"pot": "500,000"}, **more}


def slot_id(number: int) -> UUID:
    return uuid5(WORKERS, f"slot {number}")


def set_paths(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """This server's folders; it has no nexrender, and so no slots of its own."""
    for name in ("nas/output", "templates"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "templates" / "chips.aep").write_bytes(make_project([NAME]))
    monkeypatch.setenv("NAS_MOUNT_PATH", str(folder / "nas"))
    monkeypatch.setenv("AEP_TEMPLATE_DIR", str(folder / "templates"))
    monkeypatch.setenv("PABAL_RENDERING_NAS_UNC", "\\\\NAS\\broadcast")


@dataclass
class Studio:
    """The composition is the head office's; renders belong to Haeundae unless another actor asks."""

    db: Database
    tree: Tree
    folder: Path
    vault: Vault

    async def act(self, action: Callable[[Tx], Awaitable[T]]) -> T:
        async with self.db.transaction() as tx:
            return await action(tx)

    async def ask(self, name: str = "KIM MINJAE", *, unit: str = "haeundae", **given: Any) -> Render:
        wanted = RenderRequest(COMPOSITION, gfx(name), again=True, **given)
        owner = getattr(self.tree, unit).id
        made = await self.act(lambda tx: request(tx, ENGINE, self.vault, wanted, unit_id=owner))
        return made.render

    async def see(self, render_id: int) -> Render:
        return await self.act(lambda tx: renders.get_render(tx, HOUSE, render_id))

    async def claim(self, render: Render, number: int = 1) -> Render:
        async with self.db.transaction() as tx:
            until = tx.now + timedelta(minutes=30)
            await renders.claim(tx, render, slot_id(number), f"Worker#{number}", lock_until=until, recoveries=0)
            await self._move(tx, render, RenderEvent.CLAIM, number)
            await renders.set_stage(tx, render.id, Stage.PREPARE)
            await traces.insert_attempt(
                tx, render.id, render.attempt, worker_id=slot_id(number), worker_name=f"Worker#{number}"
            )
            await traces.begin_stage(tx, render.id, render.attempt, Stage.PREPARE)
        return await self.see(render.id)

    async def submit(self, render: Render, progress: int = 45, *, number: int = 1) -> Render:
        """Claimed, handed over, and under way in After Effects."""
        await self.claim(render, number)
        async with self.db.transaction() as tx:
            assigned = mapping.assign(gfx_model.parse(gfx(extra={})), _composition(self.folder), MAPPINGS)
            sealed = self.vault.seal('{"template": {"composition": "_MAIN Mini Chip Count"}, "assets": []}')
            report = {**as_report(assigned.report), "unmapped": ["Slot 3 - nickname"]}
            await traces.note_sent(tx, render.id, render.attempt, uid=render.uid, job_json=sealed, report=report)
            await renders.note_posting(tx, render.id, render.uid)
            await renders.note_submitted(tx, render.id)
            await self._move(tx, render, RenderEvent.SUBMIT, number)
            await traces.end_stage(tx, render.id, render.attempt, Stage.PREPARE)
            await traces.begin_stage(tx, render.id, render.attempt, Stage.RENDER)
            await renders.set_stage(tx, render.id, Stage.RENDER)
            await renders.note_progress(
                tx, render.id, state="render:dorender", progress=progress, began_at=tx.now, moved_at=tx.now
            )
        return await self.see(render.id)

    async def fail(
        self, render: Render, reason: Reason = Reason.NAS_UNAVAILABLE, *, has_file: bool = True, number: int = 1
    ) -> Render:
        await self.submit(render, 100, number=number)
        async with self.db.transaction() as tx:
            if has_file:
                await renders.note_rendered(tx, render.id, str(self.folder / "output" / "job.mp4"))
                await renders.set_stage(tx, render.id, Stage.COPY)
            await renders.note_end(tx, render.id, reason.value, "no answer from /mnt/nas")
            await transition(tx, RENDER, render.id, RenderEvent.FAIL, actor=ENGINE.name, reason=reason.value)
            await traces.end_attempt(tx, render.id, render.attempt, result="failed", reason=reason.value)
            await traces.add_line(tx, render.id, "ERROR", f"failed: {reason.value}", worker="Worker#1")
        return await self.see(render.id)

    async def complete(self, render: Render, *, film: bytes | None = None, number: int = 1) -> Render:
        """Delivered to the NAS, with a film if one is given."""
        await self.submit(render, 100, number=number)
        content = film if film is not None else b"x" * 200_000
        path = self.folder / "nas" / "output" / f"{render.broadcast_date}" / f"MAIN_{render.id}.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        async with self.db.transaction() as tx:
            await self._move(tx, render, RenderEvent.UPLOAD, number)
            await renders.note_validated(tx, render.id, VIDEO)
            await renders.note_output(tx, render.id, path=str(path), size=len(content), sha256=digest)
            await self._move(tx, render, RenderEvent.COMPLETE, number)
            await traces.end_attempt(tx, render.id, render.attempt, result="completed")
        return await self.see(render.id)

    async def _move(self, tx: Tx, render: Render, event: RenderEvent, number: int) -> None:
        moved = await transition(tx, RENDER, render.id, event, actor=f"worker:{slot_id(number)}")
        said = f"status: {moved.source} → {moved.target}"
        await traces.add_line(tx, render.id, "INFO", said, worker=f"Worker#{number}")

    async def put(self, composition: Composition, mappings: tuple[FieldMapping, ...], *, actor: Actor = ENGINE) -> None:
        await self.act(lambda tx: composition_actions.put_composition(tx, actor, composition, mappings))


async def make_studio(db: Database, tree: Tree, folder: Path, *, slot_count: int = 2, secret: str = SECRET) -> Studio:
    studio = Studio(db, tree, folder, Vault(secret))
    await studio.put(_composition(folder), MAPPINGS)
    async with db.transaction() as tx:
        for number in range(1, slot_count + 1):
            await slots.open_slot(
                tx,
                slot_id(number),
                worker_id="studio",
                number=number,
                name=f"Worker#{number}",
                host="render-1",
                server=1,
                nexrender_url="http://127.0.0.1:3000",
            )
        await slots.note_nexrender(tx, [slot_id(1)], is_there=True, latency_ms=12.0)
    return studio


def draw_film() -> bytes:
    return make_film(FILM, composition=NAME, uid="rq-1-a1")


def _composition(folder: Path) -> Composition:
    return Composition(COMPOSITION, NAME, str(folder / "templates" / "chips.aep"), text_limits={"name": 18})
