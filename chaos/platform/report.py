"""What a run proved: one line for each promise, and whether the run counts."""

from collections.abc import Iterator
from dataclasses import dataclass

from chaos.platform.plan import JUDGED, SECONDS_PER
from chaos.report import AppReport


@dataclass
class Report(AppReport):
    judged_a_minute, seconds_per = JUDGED, SECONDS_PER

    def told(self) -> Iterator[str]:
        yield f"services cut off: {self.judged['cuts']}"
