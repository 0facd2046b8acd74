"""`pabal sim nexrender`: what the render machines do is on stdout, everything about the server on stderr."""

from __future__ import annotations

import json
import signal
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.printing import printable
from pabal.platform.language.pairs import Lang, Pair, put

if TYPE_CHECKING:
    from pabal.apps.rendering.simulator.journal import FarmEntry
    from pabal.platform.commands.shell import Shell

with lazily():
    from pabal.apps.rendering.simulator import faults, films, journal, options, projects, server, table

_LISTENS: Pair = (
    "A simulated nexrender is up, render machines: {workers}. Use it with NEXRENDER_API_URL={url}\n"
    "Faults, restarts and what was seen: {url}/sim/state (docs/apps/rendering-simulator.md). Ctrl-C ends it.",
    "모의 nexrender를 시작했습니다(렌더 장비 {workers}대). NEXRENDER_API_URL={url}(으)로 연결하세요.\n"
    "장애 주입, 재시작, 기록은 {url}/sim/state에서 봅니다(docs/apps/rendering-simulator.md). Ctrl-C로 끝냅니다.",
)
_BEGAN: Pair = (
    "machine {worker} renders {uid} ({composition}), {seconds:.0f} s",
    "{worker}번 장비: {uid} 렌더링 시작({composition}), {seconds:.0f}초",
)
_WROTE: Pair = ("{uid} written: {path} ({kb} KB)", "{uid} 파일 저장: {path} ({kb} KB)")
_ENDED: Pair = ("machine {worker}: {uid} {state}", "{worker}번 장비: {uid} {state}")
_STATES: dict[str, Pair] = {
    "finished": ("finished", "완료"),
    "error": ("failed: {error}", "실패: {error}"),
    "abandoned": ("abandoned: the server does not know it any more", "포기: 서버에 더는 없는 작업"),
    "killed": ("killed", "강제 종료"),
}
_CHANGED: Pair = ("{what} {uid} {detail}", "{what} {uid} {detail}")


def nexrender(  # long: one parameter for each option
    ctx: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port it listens on; 0: any free one.")] = 3000,
    workers: Annotated[int, typer.Option(min=0, max=64, help="Render machines; 0: none, jobs stay queued.")] = 2,
    seconds: Annotated[str, typer.Option(metavar="FROM-TO", help="How long a render takes.")] = "15-25",
    composition_seconds: Annotated[
        list[str] | None, typer.Option(metavar="COMPOSITION=SECONDS", help="For one composition; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the seconds; the same seed draws the same.")] = 1,
    folder: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="D:/OUTPUT=FOLDER", help="Where a path of the jobs is here; may be repeated."),
    ] = None,
    width: Annotated[int, typer.Option(min=64, max=3840, help="Of the videos.")] = 1920,
    height: Annotated[int, typer.Option(min=64, max=2160, help="Of the videos.")] = 1080,
    length: Annotated[float, typer.Option(min=0.1, max=60, help="Of the videos, in seconds.")] = 2.0,
    project: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE=COMPOSITION",
            help="Writes a small project with this composition, for the check before a render; may be repeated.",
        ),
    ] = None,
    read_sources: Annotated[
        bool, typer.Option("--read-sources", help="Renders fail whose template or pictures are not there.")
    ] = False,
    polling: Annotated[
        float, typer.Option(min=0, help="Idle machines look every so many seconds; 0: they see a job at once.")
    ] = 0.0,
    copy_seconds: Annotated[float, typer.Option(min=0, help="How long the copy to the output takes.")] = 0.0,
    order: Annotated[str, typer.Option(help="fifo, newest-first, priority or random, as NEXRENDER_ORDERING.")] = "fifo",
    fault: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[:VALUE][@MATCH]",
            help="double, forget, slow:SECONDS, no_answer, hang:PERCENT, fail:TEXT, missing_composition, "
            "missing_template, late_copy:SECONDS, no_file, short_file, broken_file, wrong_size; for jobs whose uid or "
            "composition matches, or requests such as 'POST /api/v1/jobs'. May be repeated.",
        ),
    ] = None,
    secret: Annotated[
        str | None, typer.Option(envvar="NEXRENDER_SECRET", show_default=False, help="Asked for as nexrender-secret.")
    ] = None,
    database: Annotated[Path | None, typer.Option(help="Keeps its jobs in this file, as nexrender does.")] = None,
    log: Annotated[Path | None, typer.Option(help="Also appends everything to this file, as lines of JSON.")] = None,
) -> None:
    """A nexrender server with render machines: takes jobs, reports progress, writes videos. Stops with Ctrl-C."""
    shell: Shell = ctx.obj
    if order not in list(table.PickupOrder):
        raise typer.BadParameter(", ".join(table.PickupOrder), ctx, param_hint="--order")
    plain: dict[str, Any] = {
        "port": port,
        "secret": secret or "",
        "workers": workers,
        "seed": seed,
        "polling_seconds": polling,
        "copy_seconds": copy_seconds,
        "reads_sources": read_sources,
        "film": films.Film(width // 2 * 2, height // 2 * 2, length),
        "order": table.PickupOrder(order),
        "database": database,
        "log": log,
    }
    texts = OptionTexts(seconds, composition_seconds or [], folder or [], fault or [], project or [])
    shell.run(_until_signalled(_serve(shell, plain, texts)))


@dataclass(frozen=True)
class OptionTexts:
    """Options with a form of their own. They are read where a bad one ends the command with its code."""

    seconds: str
    composition_seconds: list[str]
    folders: list[str]
    faults: list[str]
    projects: list[str]

    def read(self) -> dict[str, Any]:
        return {
            "seconds": options.parse_seconds(self.seconds),
            "composition_seconds": dict(map(options.parse_composition_seconds, self.composition_seconds)),
            "folders": tuple(map(options.parse_folder, self.folders)),
            "faults": tuple(map(faults.parse_fault, self.faults)),
        }


async def _serve(shell: Shell, plain: dict[str, Any], texts: OptionTexts) -> None:
    import asyncio  # noqa: PLC0415 -- a command that only helps need not import it

    projects.write_projects(map(options.parse_project, texts.projects))
    given = options.NexrenderOptions(**plain, **texts.read(), tell=lambda entry: show_farm(shell, entry))
    async with server.SimulatedNexrender(given) as one:
        shell.tell(_LISTENS, url=one.url, workers=given.workers)
        await asyncio.Event().wait()


def show_farm(shell: Shell, entry: FarmEntry) -> None:
    if shell.output in ("json", "ndjson"):
        typer.echo(json.dumps(journal.show_entry(entry), ensure_ascii=False))
    elif told := say_farm(entry, shell.lang):
        typer.echo(f"{entry.at.astimezone():%H:%M:%S}  {printable(told)}")


def say_farm(entry: FarmEntry, lang: Lang) -> str:
    """Empty: nothing a person wants to see of it."""
    if isinstance(entry, journal.RenderBegan):
        return put(lang, _BEGAN, **vars(entry))
    if isinstance(entry, journal.CopyEnded):
        return put(lang, _WROTE, **vars(entry), kb=entry.size // 1024)
    if isinstance(entry, journal.RenderEnded):
        state = put(lang, _STATES[entry.state], error=entry.error)
        return put(lang, _ENDED, worker=entry.worker, uid=entry.uid, state=state)
    if isinstance(entry, journal.FarmChange):
        return put(lang, _CHANGED, **vars(entry)).strip()
    return ""


async def _until_signalled(work: Coroutine[Any, Any, None]) -> None:
    import asyncio  # noqa: PLC0415 -- a command that only helps need not import it

    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    with suppress(NotImplementedError, RuntimeError):  # not in the main thread: then only the work ends it
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
