"""The Redis that stands beside the servers, as compose.yaml has it."""

import re
from pathlib import Path

import pytest

from pabal.platform.broker.line import open_line
from pabal.platform.broker.redis_line import RedisLine

ROOT = Path(__file__).parents[3]


@pytest.mark.req("D-89")
def test_a_redis_container_that_loses_nothing_runs_beside_the_servers_when_it_is_wanted():
    compose, example = ((ROOT / name).read_text(encoding="utf-8") for name in ("compose.yaml", ".env.example"))
    [service] = re.findall(r"^  redis:\n((?:    .*\n|\n)+)", compose, re.MULTILINE)
    [address] = re.findall(r"and (redis://\S+)\n", example)

    assert "profiles: [redis]" in service
    assert '"--appendonly", "yes", "--maxmemory-policy", "noeviction"' in service
    assert "- redis:/data" in service
    # it has no password: nobody but this machine reaches it
    assert re.findall(r'- "(\S+):6379"', service) == ["127.0.0.1:${REDIS_PORT:-6379}"]
    assert "PABAL_BROKER_URL: ${PABAL_BROKER_URL:-}" in compose
    assert address == "redis://redis:6379"
    assert isinstance(open_line(address), RedisLine)
