"""A rule or a measure that cannot be meant says so when it is declared, or at start."""

from datetime import timedelta

import pytest

from pabal.platform.alerts import (
    ENGINE_MEASURES,
    ENGINE_RULES,
    BadMeasure,
    BadRule,
    RuleNotFound,
    check_rules,
    find_rule,
    list_rule_settings,
)
from pabal.platform.settings import Catalogue
from tests.platform.alerts.house import Dial, rule_on

DIAL = Dial().measure()


def test_the_engines_own_rules_stand_on_its_own_measures() -> None:
    check_rules(ENGINE_MEASURES, ENGINE_RULES)

    assert {"work.oldest_ready", "servers.lost", "work.success_rate", "work.processing_time", "clock.skew"} <= {
        rule.measure.name for rule in ENGINE_RULES
    }


def test_every_rule_gives_two_settings_with_keys_of_their_own() -> None:
    catalogue = Catalogue(list_rule_settings(ENGINE_RULES))

    assert len(catalogue) == 2 * len(ENGINE_RULES)
    assert catalogue["alerts.engine.clock_skew.threshold"].default == 500.0
    assert catalogue["alerts.engine.clock_skew.held_for"].default == timedelta(minutes=1)


def test_a_rule_on_a_measure_nobody_reads_is_refused() -> None:
    with pytest.raises(BadRule):
        check_rules([], [rule_on(DIAL)])


def test_two_rules_or_measures_of_one_name_are_refused() -> None:
    with pytest.raises(BadRule):
        check_rules([DIAL], [rule_on(DIAL), rule_on(DIAL)])
    with pytest.raises(BadMeasure):
        check_rules([DIAL, Dial().measure()], [])


@pytest.mark.parametrize("name", ["", "alone", "Test.high", "test.", "test.high!"])
def test_a_name_is_area_and_name(name: str) -> None:
    with pytest.raises(BadRule):
        rule_on(DIAL, name=name)
    with pytest.raises(BadMeasure):
        Dial(name).measure()


def test_nothing_is_watched_for_longer_than_a_day() -> None:
    with pytest.raises(BadRule):
        rule_on(DIAL, held_for=timedelta(hours=25))


def test_a_rule_is_found_by_its_name_or_not() -> None:
    assert find_rule(ENGINE_RULES, "engine.stuck_work").measure.name == "work.oldest_ready"
    with pytest.raises(RuleNotFound):
        find_rule(ENGINE_RULES, "engine.nothing")
