"""What a person or a program may do with the engine. Each verb asks for the right, looks only at what may be seen
(others' things are not found), changes, and writes the audit, in the caller's one commit."""

from pabal.platform.operating.facts import FactNotFound, find_subscriber, get_fact, list_aside, retry_aside
from pabal.platform.operating.jobs import cancel_job, cancel_jobs, get_job, prioritise_job, retry_job, retry_jobs
from pabal.platform.operating.lanes import LaneNotFound, change_width, get_lane, list_lanes
from pabal.platform.operating.machines import (
    Sent,
    explain_subject,
    find_machine,
    get_subject,
    list_readable,
    send_event,
)
from pabal.platform.operating.model import (
    Done,
    EndedBefore,
    EventNotByHand,
    EventNotFound,
    HandlerNotHere,
    MachineNotFound,
    NotRetryable,
    SubscriberNotFound,
    TooMany,
)
from pabal.platform.operating.schedules import (
    get_occurrence,
    get_schedule,
    keep_occurrence,
    pause_schedule,
    resume_schedule,
    skip_occurrence,
    trigger_schedule,
)
from pabal.platform.operating.servers import drain_server, get_server, list_servers, undrain_server
from pabal.platform.operating.stories import Coming, list_upcoming, why

__all__ = [
    "Coming",
    "Done",
    "EndedBefore",
    "EventNotByHand",
    "EventNotFound",
    "FactNotFound",
    "HandlerNotHere",
    "LaneNotFound",
    "MachineNotFound",
    "NotRetryable",
    "Sent",
    "SubscriberNotFound",
    "TooMany",
    "cancel_job",
    "cancel_jobs",
    "change_width",
    "drain_server",
    "explain_subject",
    "find_machine",
    "find_subscriber",
    "get_fact",
    "get_job",
    "get_lane",
    "get_occurrence",
    "get_schedule",
    "get_server",
    "get_subject",
    "keep_occurrence",
    "list_aside",
    "list_lanes",
    "list_readable",
    "list_servers",
    "list_upcoming",
    "pause_schedule",
    "prioritise_job",
    "resume_schedule",
    "retry_aside",
    "retry_job",
    "retry_jobs",
    "send_event",
    "skip_occurrence",
    "trigger_schedule",
    "undrain_server",
    "why",
]
