"""What nexrender says of a job, in its own words or in those of the requirements, and what that means here. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pabal.apps.rendering.model.renders import RenderState, Stage
from pabal.base.errors import Invalid

LONGEST_ERROR = 2000


class BadStateWords(Invalid, code="bad_state_words"):
    """Write nexrender's states as `state=phase`, separated by commas; phases are queued, picked, rendering, encoding,
    finished and error."""


class Phase(StrEnum):
    """How far a job is. QUEUED: DELETE stops it. PICKED: somebody has it, After Effects has not begun."""

    QUEUED = "queued"
    PICKED = "picked"
    RENDERING = "rendering"
    ENCODING = "encoding"
    FINISHED = "finished"
    ERROR = "error"


# Its own states (1.38 to 1.62) and the four of the requirements that it never says.
PHASES: Mapping[str, Phase] = {
    "created": Phase.QUEUED,
    "queued": Phase.QUEUED,
    "picked": Phase.PICKED,
    "started": Phase.RENDERING,
    "render:setup": Phase.RENDERING,
    "render:predownload": Phase.RENDERING,
    "render:download": Phase.RENDERING,
    "render:postdownload": Phase.RENDERING,
    "render:prerender": Phase.RENDERING,
    "render:script": Phase.RENDERING,
    "render:dorender": Phase.RENDERING,
    "render:postrender": Phase.ENCODING,
    "render:cleanup": Phase.ENCODING,
    "rendering": Phase.RENDERING,
    "encoding": Phase.ENCODING,
    "finished": Phase.FINISHED,
    "error": Phase.ERROR,
}
STATES: Mapping[Phase, RenderState] = {
    Phase.QUEUED: RenderState.RENDERING,
    Phase.PICKED: RenderState.RENDERING,
    Phase.RENDERING: RenderState.RENDERING,
    Phase.ENCODING: RenderState.ENCODING,
    Phase.FINISHED: RenderState.UPLOADING,
    Phase.ERROR: RenderState.FAILED,
}
STAGES: Mapping[Phase, Stage] = {
    Phase.QUEUED: Stage.QUEUE,
    Phase.PICKED: Stage.QUEUE,
    Phase.RENDERING: Stage.RENDER,
    Phase.ENCODING: Stage.ENCODE,
}
ENDED = (Phase.FINISHED, Phase.ERROR)


@dataclass(frozen=True, slots=True)
class NexJob:
    """`state` is as it came. `is_taken`: a worker was handed it, whatever its state says."""

    uid: str
    state: str
    progress: int = 0
    error: str | None = None
    is_taken: bool = False

    def phase(self, words: Mapping[str, Phase] = PHASES) -> Phase:
        """An unknown state is one of rendering: newer servers have more of them. What encodes cannot be seen in real
        ones, but a render that is through is not over."""
        found = words.get(self.state, Phase.RENDERING)
        if found is Phase.RENDERING and self.progress >= 100:
            return Phase.ENCODING
        return found


def read_job(data: object) -> NexJob | None:
    """Either shape: `uid` or `id`, `state` or `status`, `renderProgress` or `progress`. None: it says no job."""
    if not isinstance(data, Mapping):
        return None
    uid, state = data.get("uid") or data.get("id"), data.get("state") or data.get("status")
    if not isinstance(uid, str) or not isinstance(state, str):
        return None
    progress = data.get("renderProgress", data.get("progress"))
    is_taken = bool(data.get("executor") or data.get("startedAt"))
    return NexJob(uid, state[:100], _read_progress(progress), _read_error(data.get("error")), is_taken)


def read_words(text: str) -> Mapping[str, Phase]:
    """What an operator says of states that are not as we know them, over what we know."""
    words = dict(PHASES)
    for part in text.split(","):
        if not part.strip():
            continue
        state, _, phase = part.partition("=")
        try:
            words[state.strip()] = Phase(phase.strip())
        except ValueError as error:
            raise BadStateWords(part.strip()[:100]) from error
    return words


def _read_progress(value: Any) -> int:
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
        return 0
    return max(0, min(100, int(value)))


def _read_error(value: Any) -> str | None:
    """A text, several texts, or none."""
    if isinstance(value, list):
        value = "; ".join(str(one) for one in value)
    return str(value)[:LONGEST_ERROR] if value else None
