"""What a rendered file is, and whether it is what its composition promises."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pabal.apps.rendering.video.child import ask
from pabal.platform.findings import Finding

LEAST_BYTES = 100 * 1024
SECONDS = 60.0
MEMORY_MB = 512


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """`duration` in seconds; `frames` counts the pictures that are really in the file."""

    size_bytes: int
    codec: str
    width: int
    height: int
    duration: float
    frames: int


class Expected(Protocol):
    """What a composition says of its output."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def codec(self) -> str: ...
    @property
    def duration_seconds(self) -> float | None: ...
    @property
    def duration_tolerance(self) -> float | None: ...


async def inspect(path: Path, *, seconds: float = SECONDS, memory_mb: int = MEMORY_MB) -> VideoFacts:
    """Raises VideoUnreadable with its reason, also for a file that is not there."""
    return VideoFacts(**await ask("inspect", path, seconds=seconds, memory_mb=memory_mb))


def judge_output(facts: VideoFacts, composition: Expected, *, least_bytes: int = LEAST_BYTES) -> list[Finding]:
    """Everything that is wrong, at once. The duration is judged only where a composition gives both of its numbers."""
    found = [_judge_size(facts, least_bytes), _judge_codec(facts, composition)]
    found += [_judge_picture(facts, composition), _judge_duration(facts, composition)]
    return [one for one in found if one is not None]


def _judge_size(facts: VideoFacts, least: int) -> Finding | None:
    if facts.size_bytes > least:
        return None
    text = (
        f"The file has {facts.size_bytes:,} bytes; it must have more than {least:,}.",
        f"파일이 {facts.size_bytes:,}바이트입니다. {least:,}바이트보다 커야 합니다.",
    )
    return Finding("output_too_small", "size_bytes", text)


def _judge_codec(facts: VideoFacts, composition: Expected) -> Finding | None:
    if facts.codec.lower() == composition.codec.lower():
        return None
    text = (
        f"The codec is {facts.codec}; {composition.codec} was expected.",
        f"코덱이 {facts.codec}입니다. {composition.codec}이어야 합니다.",
    )
    return Finding("output_codec", "codec", text)


def _judge_picture(facts: VideoFacts, composition: Expected) -> Finding | None:
    if (facts.width, facts.height) == (composition.width, composition.height):
        return None
    text = (
        f"The picture is {facts.width}×{facts.height}; {composition.width}×{composition.height} was expected.",
        f"해상도가 {facts.width}×{facts.height}입니다. {composition.width}×{composition.height}이어야 합니다.",
    )
    return Finding("output_resolution", "width", text)


def _judge_duration(facts: VideoFacts, composition: Expected) -> Finding | None:
    wanted, tolerance = composition.duration_seconds, composition.duration_tolerance
    if wanted is None or tolerance is None or abs(facts.duration - wanted) <= tolerance:
        return None
    text = (
        f"It lasts {facts.duration:.2f} s; {wanted:g} s was expected, give or take {tolerance:g} s.",
        f"길이가 {facts.duration:.2f}초입니다. {wanted:g}초에서 {tolerance:g}초 넘게 벗어났습니다.",
    )
    return Finding("output_duration", "duration", text)
