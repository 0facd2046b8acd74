"""What there is, for people who look: lists, depths and what comes next. Reads only; for connections made for pages.

Every list takes the units that may be seen (None: everything), and answers a page with the cursor of the next.
"""

from pabal.engine.listing.facts import AsideLine, list_aside, list_facts
from pabal.engine.listing.history import list_transitions
from pabal.engine.listing.jobs import (
    BadState,
    Depths,
    IdAmbiguous,
    JobLine,
    QueueDepth,
    count_jobs,
    list_jobs,
    list_queues,
    read_depths,
    resolve_job,
    show_jobs,
)
from pabal.engine.listing.lanes import LaneLine, list_lanes, show_lanes
from pabal.engine.listing.occurrences import BadOccurrenceState, OccurrenceLine, count_occurrences, list_occurrences
from pabal.engine.listing.paging import CAP, BadCursor, BadPageSize, Page
from pabal.engine.listing.schedules import (
    BadScheduleState,
    DelayedJob,
    DueTimer,
    NextMoments,
    ScheduleLine,
    list_delayed,
    list_schedules,
    list_timers,
    read_next_moments,
    read_next_moments_without,
    show_schedules,
)
from pabal.engine.listing.servers import ServerSeen, list_servers
from pabal.engine.listing.subjects import BadSubjectState, SubjectLine, count_states, list_subjects

__all__ = [
    "CAP",
    "AsideLine",
    "BadCursor",
    "BadOccurrenceState",
    "BadPageSize",
    "BadScheduleState",
    "BadState",
    "BadSubjectState",
    "DelayedJob",
    "Depths",
    "DueTimer",
    "IdAmbiguous",
    "JobLine",
    "LaneLine",
    "NextMoments",
    "OccurrenceLine",
    "Page",
    "QueueDepth",
    "ScheduleLine",
    "ServerSeen",
    "SubjectLine",
    "count_jobs",
    "count_occurrences",
    "count_states",
    "list_aside",
    "list_delayed",
    "list_facts",
    "list_jobs",
    "list_lanes",
    "list_occurrences",
    "list_queues",
    "list_schedules",
    "list_servers",
    "list_subjects",
    "list_timers",
    "list_transitions",
    "read_depths",
    "read_next_moments",
    "read_next_moments_without",
    "resolve_job",
    "show_jobs",
    "show_lanes",
    "show_schedules",
]
