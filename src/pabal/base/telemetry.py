"""Named events. Code emits `area.verbed` with fields; this room turns them into log lines and Prometheus metrics."""

import logging
import re
import sys
from dataclasses import dataclass
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

REGISTRY = CollectorRegistry()
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

_SECRET_NAME = re.compile(r"password|secret|authorization|cookie|api_key", re.IGNORECASE)
_SECRET_IN_URL = re.compile(r"(://[^:/@\s]*:)[^@\s]+(@)")


@dataclass(frozen=True)
class _Declared:
    level: int
    labels: tuple[str, ...]
    amount: str | None
    counter: Counter
    durations: Histogram | None


_declared: dict[str, _Declared] = {}
_log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


def declare(  # long: six keywords that are the vocabulary of an event
    name: str,
    meaning: str,
    *,
    labels: tuple[str, ...] = (),
    amount: str | None = None,
    seconds: bool = False,
    level: int = logging.INFO,
) -> None:
    """Makes `emit(name)` count as `pabal_<name>_total`. `amount` names the field to add; `seconds`: a histogram too."""
    metric = "pabal_" + name.replace(".", "_")
    counter = Counter(metric, meaning, labels, registry=REGISTRY)
    durations = Histogram(metric + "_seconds", meaning, labels, registry=REGISTRY, buckets=SECONDS) if seconds else None
    _declared[name] = _Declared(level, labels, amount, counter, durations)


def gauge(name: str, meaning: str, labels: tuple[str, ...] = ()) -> Gauge:
    return Gauge("pabal_" + name.replace(".", "_"), meaning, labels, registry=REGISTRY)


def emit(name: str, /, **fields: Any) -> None:
    event = _declared[name]
    values = {label: str(fields.get(label, "")) for label in event.labels}
    counter = event.counter.labels(**values) if values else event.counter
    counter.inc(fields[event.amount] if event.amount else 1)
    if event.durations is not None:
        (event.durations.labels(**values) if values else event.durations).observe(fields["seconds"])
    if _log_level <= event.level:
        _log.log(event.level, name, **fields)


def count_emitted(name: str) -> int:
    """How often, in this process, with whatever labels."""
    [counted] = _declared[name].counter.collect()
    return int(sum(sample.value for sample in counted.samples if sample.name.endswith("_total")))


def metrics_text() -> bytes:
    return generate_latest(REGISTRY)


_log_level = logging.INFO


def start_logging(*, level: str = "info", json_lines: bool = True) -> None:
    """One line per event on standard error; JSON for machines, columns for a person at a terminal."""
    global _log_level  # noqa: PLW0603 -- a process has one log; emit must not pay for lines nobody wants
    _log_level = logging.getLevelNamesMapping()[level.upper()]
    renderer: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False) if json_lines else structlog.dev.ConsoleRenderer()
    )
    # The driver tells every failed try of its pool in a traceback of its own; the loops say it in one line.
    logging.getLogger("asyncpg").setLevel(logging.CRITICAL)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            hide_secrets,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_log_level),
        logger_factory=lambda *_: _StandardError(),
        cache_logger_on_first_use=False,
    )


class _StandardError:
    """Looked up at each line: a process may change where its errors go."""

    def msg(self, message: str) -> None:
        sys.stderr.write(message + "\n")
        sys.stderr.flush()

    log = debug = info = warning = error = critical = msg


def hide_secrets(_logger: object, _method: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    return {key: "***" if _SECRET_NAME.search(key) else _without_password(value) for key, value in line.items()}


def _without_password(value: Any) -> Any:
    return _SECRET_IN_URL.sub(r"\1***\2", value) if isinstance(value, str) else value
