"""What the figures were measured on."""

import os
import platform
import time
from pathlib import Path
from typing import Any

import psutil

from bench.result import percentile


def describe(postgres: str) -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "cpu": _cpu_model(),
        "postgres": postgres,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def timer_noise_ms(seconds: float, pause: float = 0.005) -> list[float]:
    """How late this machine wakes one that sleeps: what no scheduler on it can be better than."""
    late = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        time.sleep(pause)
        late.append((time.monotonic() - began - pause) * 1000)
    return late


def noise_p99_ms(seconds: float) -> float:
    return percentile(timer_noise_ms(seconds), 0.99)


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
