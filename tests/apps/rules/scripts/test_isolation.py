"""Whether scripts can be contained is found by trying, and said plainly."""

from pathlib import Path

import pytest

from pabal.apps.rules.scripts import Allows, Containment
from pabal.apps.rules.scripts.isolation import probe
from tests.support.rule_scripts import need_isolation


def test_where_it_works_it_was_run():
    isolation = need_isolation()

    assert (isolation.level, isolation.is_full) == (Containment.FULL, True)


def test_without_the_program_scripts_are_not_isolated():
    isolation = probe(None)

    assert isolation.level is Containment.NONE
    assert "not installed" in isolation.reason[0]
    assert "설치되어 있지 않습니다" in isolation.reason[1]


@pytest.mark.parametrize(
    ("program", "fact"),
    [
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions to create new namespace"),
        ("exit 0", "exit code 0"),
    ],
)
def test_a_program_that_is_there_and_refused_proves_nothing(tmp_path: Path, program: str, fact: str):
    refused = tmp_path / "bwrap"
    refused.write_text(f"#!/bin/sh\n{program}\n")
    refused.chmod(0o755)

    isolation = probe(str(refused))

    assert isolation.level is Containment.NONE
    assert all(fact in sentence for sentence in isolation.reason)


@pytest.mark.parametrize("path", ["/", "//", "relative", "/data/../etc"])
def test_a_rule_cannot_allow_everything(path: str):
    with pytest.raises(ValueError, match="whole path"):
        Allows(files=(path,))
