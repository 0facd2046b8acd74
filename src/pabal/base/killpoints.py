"""Named places where a test can end the process, as a power cut would; armed only by PABAL_KILL_POINT."""

import os

EXIT_CODE = 137

# Every place, so that tests can walk through all of them; a test compares this list with the code.
KILL_POINTS = (
    "enqueue.written",
    "enqueue.committed",
    "exchange.settled",
    "exchange.claimed",
    "exchange.committed",
    "steps.prepared",
    "steps.prepare_committed",
    "steps.performed",
    "steps.recorded",
    "steps.record_committed",
    "inside.handled",
    "inside.committed",
    "delays.moved",
    "delays.committed",
    "rescue.buried",
    "rescue.handed_back",
    "schedules.decided",
    "schedules.committed",
    "timers.moved",
    "timers.committed",
    "facts.delivered",
    "facts.committed",
)
# Those of workflows: tests/stories/test_a_workflow_survives_every_kill.py comes by.
WORKFLOW_POINTS = (
    "workflows.advanced",
    "workflows.acted",
    "workflows.act_committed",
    "workflows.ended",
    "workflows.end_committed",
)
# Those of the platform: tests/stories/test_events_survive.py comes by.
PLATFORM_POINTS = (
    "events.published",
    "events.taken",
    "events.take_committed",
)
# Those of apps and of Telegram's poller: their own runs come by (chaos.relay, chaos.rendering,
# tests/stories/test_a_button_counts_once.py).
APP_POINTS = (
    "telegram.heard",
    "telegram.applied",
    "telegram.committed",
    "relay.queued",
    "relay.queue_committed",
    "relay.handed_out",
    "relay.reply_committed",
    "rendering.posting",
    "rendering.posted",
    "rendering.rendered",
    "rendering.validated",
    "rendering.copied",
)


def kill_point(name: str) -> None:
    """`PABAL_KILL_POINT=steps.performed` ends the process there; `steps.performed:3` the third time it comes by."""
    if _armed is not None and name == _armed:
        _reach()


def arm(setting: str | None) -> None:
    global _armed, _left  # a process dies once; what is armed is a fact about the process
    name, _, times = (setting or "").partition(":")
    if name and name not in KILL_POINTS + PLATFORM_POINTS + APP_POINTS:
        raise ValueError(f"no kill point is named {name}")
    _armed, _left = name or None, int(times or 1)


def _reach() -> None:
    global _left  # noqa: PLW0603 -- as above
    _left -= 1
    if _left <= 0:
        os._exit(EXIT_CODE)


_armed: str | None = None
_left = 1
arm(os.environ.get("PABAL_KILL_POINT"))
