"""Renders, their attempts, stages and log lines, and the slots that work on them, as the database has them."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

AREA = "rendering"
_UID = re.compile(r"rq-[0-9]+-a[0-9]+")
# what jobs, facts and the audit call them
RENDER_ABOUT = "render"
SLOT_ABOUT = "render_slot"
COMPOSITION_ABOUT = "render_composition"
RENDER = "rendering.render"
LICENCE = "licence"
LANE = "licence:after-effects"
# the role of a server that has slots, and the label its kind of work needs
ROLE = "render"
# hints: something to render came, a slot was changed or asked to look now, a render was cancelled
QUEUED = "rendering.queued"
SLOTS = "rendering.slots"
CANCELLED = "rendering.cancelled"
# a composition or a mapping was changed
TEMPLATES = "rendering.templates"


class RenderState(StrEnum):
    PENDING = "pending"
    PREPARING = "preparing"
    RENDERING = "rendering"
    ENCODING = "encoding"
    UPLOADING = "uploading"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


WORKING = (RenderState.PREPARING, RenderState.RENDERING, RenderState.ENCODING, RenderState.UPLOADING)
OPEN = (RenderState.PENDING, *WORKING)


class Stage(StrEnum):
    """What is being done; each is kept in the commit that ends it."""

    PREPARE = "prepare"
    SUBMIT = "submit"
    QUEUE = "queue"
    RENDER = "render"
    ENCODE = "encode"
    VALIDATE = "validate"
    COPY = "copy"
    DONE = "done"


# Where a person may begin again: everything, the check of the file, or only the copy.
RESTARTS = (Stage.PREPARE, Stage.VALIDATE, Stage.COPY)


class Reason(StrEnum):
    """Why a render failed, or what it waits for."""

    PREFLIGHT_FAILED = "preflight_failed"
    TEMPLATE_MISSING = "template_missing"
    TEMPLATE_UNUSABLE = "template_unusable"
    COMPOSITION_MISSING = "composition_missing"
    DATA_UNREADABLE = "data_unreadable"
    NEXRENDER_UNREACHABLE = "nexrender_unreachable"
    NEXRENDER_REFUSED = "nexrender_refused"
    NEXRENDER_ERROR = "nexrender_error"
    NEXRENDER_FORGOT = "nexrender_forgot"
    RENDER_TIMEOUT = "render_timeout"
    STALLED = "stalled"
    OUTPUT_INVALID = "output_invalid"
    OUTPUT_MISSING = "output_missing"
    NAS_UNAVAILABLE = "nas_unavailable"
    COPY_MISMATCH = "copy_mismatch"
    POISON_JOB = "poison_job"
    CANCELLED = "cancelled"
    UNEXPECTED = "unexpected"


@dataclass(frozen=True, slots=True)
class Render:
    """One row of the queue, without its data: that is sealed, and read apart."""

    id: int
    unit_id: int
    state: RenderState
    version: int
    composition_id: str
    composition_name: str
    content_hash: str
    cue_item_id: str | None
    broadcast_date: date
    priority: int
    on_air_at: datetime | None
    requested_by: str
    job_id: int | None
    seen_recoveries: int
    attempt: int
    stage: Stage
    stage_began_at: datetime | None
    worker_id: UUID | None
    worker_name: str | None
    lock_expires_at: datetime | None
    is_winding_down: bool
    nexrender_job_id: str | None
    nexrender_state: str | None
    posted_at: datetime | None
    submitted_at: datetime | None
    nexrender_started_at: datetime | None
    progress: int
    progress_at: datetime | None
    rendered_path: str | None
    rendered_at: datetime | None
    validated_at: datetime | None
    video: dict[str, Any] | None
    output_file_path: str | None
    output_size: int | None
    output_sha256: str | None
    started_at: datetime | None
    completed_at: datetime | None
    created_at: datetime
    updated_at: datetime
    duration_seconds: float | None
    recovery_count: int
    timeouts: int
    fault: str | None
    fault_count: int
    fault_detail: str | None
    next_try_at: datetime | None
    error_code: str | None
    error_message: str | None

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def about(self) -> str:
        return f"{RENDER_ABOUT}:{self.id}"

    @property
    def uid(self) -> str:
        """What nexrender calls this attempt."""
        return uid_of(self.id, self.attempt)


def uid_of(render_id: int, attempt: int) -> str:
    return f"rq-{render_id}-a{attempt}"


def is_uid(name: str) -> bool:
    """Others may use the same nexrender."""
    return _UID.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Attempt:
    render_id: int
    number: int
    worker_id: UUID | None
    worker_name: str | None
    nexrender_job_id: str | None
    mapping_report: dict[str, Any] | None
    began_at: datetime
    ended_at: datetime | None
    result: str | None
    reason: str | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class StageTime:
    render_id: int
    attempt: int
    stage: Stage
    began_at: datetime
    ended_at: datetime | None

    @property
    def seconds(self) -> float | None:
        return None if self.ended_at is None else (self.ended_at - self.began_at).total_seconds()


@dataclass(frozen=True, slots=True)
class LogLine:
    id: int
    render_id: int
    at: datetime
    level: str
    worker: str | None
    message: str

    @property
    def text(self) -> str:
        """In the form of the requirements: `[time.ms] LEVEL | Worker#n | Job#n | message`."""
        at = self.at.strftime("%Y-%m-%d %H:%M:%S.") + f"{self.at.microsecond // 1000:03d}"
        return f"[{at}] {self.level} | {self.worker or '-'} | Job#{self.render_id} | {self.message}"


@dataclass(frozen=True, slots=True)
class Change:
    """A row of `render_queue_audit`."""

    id: int
    render_queue_id: int
    status_from: RenderState | None
    status_to: RenderState
    worker_id: UUID | None
    changed_at: datetime
    changed_by: str
    actor: str
    reason: str | None
