"""The control endpoint of a simulated nexrender, under /sim: faults at run time, restarts, and what was seen.

GET /sim/state · GET /sim/journal · POST /sim/faults · DELETE /sim/faults · POST /sim/restart {"seconds": 2}
POST /sim/release (renders that hang go on) · POST /sim/workers/1/kill · POST /sim/workers/1/start
"""

import json
import re
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pabal.apps.rendering.simulator.faults import BadFault, read_fault
from pabal.apps.rendering.simulator.journal import show_entry

if TYPE_CHECKING:
    from pabal.apps.rendering.simulator.server import SimulatedNexrender

PREFIX = "/sim/"
_WORKER = re.compile(r"workers/(?P<number>[1-9]\d{0,3})/(?P<verb>kill|start)")
_MOST_SECONDS = 3600.0


async def answer_control(nexrender: "SimulatedNexrender", request: Request) -> Response:
    place = request.url.path.removeprefix(PREFIX)
    if request.method == "GET":
        return _show(nexrender, place)
    try:
        body = await request.body()
        fields = json.loads(body) if body else {}
        return await _do(nexrender, request.method, place, fields)
    except (ValueError, BadFault) as error:
        return JSONResponse({"error": str(error)}, 400)


def _show(nexrender: "SimulatedNexrender", place: str) -> Response:
    if place == "state":
        return JSONResponse(_show_state(nexrender))
    if place == "journal":
        return JSONResponse([show_entry(entry) for entry in nexrender.journal.entries])
    return _unknown()


async def _do(nexrender: "SimulatedNexrender", method: str, place: str, fields: Any) -> Response:
    match method, place:
        case "POST", "faults":
            nexrender.faults.add(read_fault(fields))
        case "DELETE", "faults":
            nexrender.faults.clear()
        case "POST", "release":
            nexrender.workers.release()
        case "POST", "restart":
            nexrender.restart_soon(_read_seconds(fields))
        case _:
            found = _WORKER.fullmatch(place) if method == "POST" else None
            if found is None:
                return _unknown()
            await _change_worker(nexrender, int(found["number"]), found["verb"])
    return JSONResponse(_show_state(nexrender))


async def _change_worker(nexrender: "SimulatedNexrender", number: int, verb: str) -> None:
    if verb == "kill":
        await nexrender.workers.kill(number)
    else:
        nexrender.workers.start(number)


def _show_state(nexrender: "SimulatedNexrender") -> dict[str, Any]:
    faults = [fault.show() for fault in nexrender.faults.waiting]
    return {"workers": nexrender.workers.running, "jobs": len(nexrender.table.rows), "faults": faults}


def _read_seconds(fields: Any) -> float:
    seconds = fields.get("seconds", 0) if isinstance(fields, dict) else None
    if not isinstance(seconds, int | float) or not 0 <= seconds <= _MOST_SECONDS:
        raise ValueError(f"seconds: 0 to {_MOST_SECONDS:g}")
    return float(seconds)


def _unknown() -> Response:
    return JSONResponse({"error": "no such control"}, 404)
