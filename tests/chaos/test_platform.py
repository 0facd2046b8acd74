"""Servers, Telegram, a webhook's receiver, the object store and the database die, and no promise is broken."""

from collections import Counter
from collections.abc import Callable

import pytest

from chaos.history import Line
from chaos.platform import checks
from chaos.platform.desk import ASKED, COUNTED, COUNTERS
from chaos.platform.evidence import Card, Delivery, Evidence, Hook, Request, read_history
from chaos.platform.plan import JUDGED, make_plan
from chaos.platform.report import Report
from chaos.platform.run import Chosen, run
from chaos.relay.evidence import Hurt
from chaos.report import Finding

Check = Callable[[Evidence], Finding]
OUTCOME = "e-1\n✅ approved by person501, 10:20"


@pytest.mark.slow
@pytest.mark.beside
@pytest.mark.usefixtures("forked_crew")
@pytest.mark.req("D-29", "D-31", "D-32")
async def test_nothing_is_lost_or_done_twice_when_everything_dies_in_turn():
    report = await run(Chosen(seconds=4, seed=7, is_any_enough=True), print)

    assert [finding for finding in report.findings if finding.violations] == []
    assert report.kills
    assert report.done["database"]
    assert report.judged["events"]
    assert report.judged["cuts"]


def test_the_seed_decides_the_faults():
    assert make_plan(3, 45) == make_plan(3, 45)
    assert make_plan(3, 45) != make_plan(4, 45)


def lived() -> Evidence:
    """One request that was granted, with its card, its webhook and an upload; another event beside it."""
    return Evidence(
        said={"e-1": 201, "e-2": 201},
        names={"e-1": ASKED, "e-2": COUNTED},
        events=["e-1", "e-2"],
        effects={(consumer, event): 1 for consumer in COUNTERS for event in ("e-1", "e-2")},
        requests=[Request("e-1", "granted", "apr_1", "approved")],
        decided=[("apr_1", "approved")],
        presses=3,
        cards=[Card(1, "apr_1", 100.0, OUTCOME)],
        hooks=[Hook("dlv_1", 100.0, "abc", "apr_1")],
        deliveries=[Delivery(1, "webhook", "apr_1", "sent"), Delivery(2, "telegram", "apr_1", "sent")],
        kept={"file_1": "sha"},
        files={"file_1": ("sha", "kept/1", 5)},
        objects={"/pabal/kept/1": 5},
        cuts=1,
    )


@pytest.mark.parametrize("check", checks.CHECKS)
def test_nothing_is_wrong_when_all_went_well(check: Check):
    assert check(lived()).violations == []


def changed(**more: object) -> Evidence:
    evidence = lived()
    for name, value in more.items():
        setattr(evidence, name, value)
    return evidence


TWICE = Request("e-1", "granted", "apr_1", "approved", moves=2)
BROKEN: dict[str, tuple[Check, Evidence]] = {
    "decided twice": (checks.decided_once, changed(requests=[TWICE])),
    "never decided": (checks.decided_once, changed(requests=[Request("e-1", "waiting", "apr_1", "open", moves=0)])),
    "asked twice": (checks.decided_once, changed(requests=[Request("e-1", "granted", "apr_1", "approved", 2)])),
    "the inbox says another thing": (
        checks.decided_once,
        changed(requests=[Request("e-1", "granted", "apr_1", "rejected")], decided=[]),
    ),
    "somebody was told that their answer counted": (checks.decided_once, changed(decided=[("apr_1", "rejected")])),
    "an event is lost": (checks.events_count, changed(events=["e-1"])),
    "an event is there twice": (checks.events_count, changed(events=["e-1", "e-2", "e-2"])),
    "an event has two effects": (checks.events_count, changed(effects={**lived().effects, (COUNTERS[0], "e-2"): 2})),
    "an event has no effect": (checks.events_count, changed(effects={(COUNTERS[0], "e-1"): 1})),
    "an effect of nothing": (checks.events_count, changed(effects={**lived().effects, (COUNTERS[0], "e-9"): 1})),
    "a dead letter": (checks.events_count, changed(dead=["desk-ledger: it stalled"])),
    "asked, and nothing was": (checks.events_count, changed(requests=[])),
    "nobody was told at all": (checks.nobody_is_left_untold, changed(hooks=[], cards=[], deliveries=[])),
    "a notification is lost": (checks.nobody_is_left_untold, changed(hooks=[])),
    "a notification under two ids": (
        checks.nobody_is_left_untold,
        changed(hooks=[*lived().hooks, Hook("dlv_9", 101.0, "abc", "apr_1")]),
    ),
    "a delivery without an end": (
        checks.nobody_is_left_untold,
        changed(deliveries=[Delivery(1, "webhook", "apr_1", None)]),
    ),
    "sent, and nobody saw it": (checks.nobody_is_left_untold, changed(cards=[])),
    "a double without a reason": (
        checks.doubles_are_known,
        changed(hooks=[*lived().hooks, Hook("dlv_1", 103.0, "abc", "apr_1")]),
    ),
    "a double with other words": (
        checks.doubles_are_known,
        changed(hooks=[*lived().hooks, Hook("dlv_1", 103.0, "xyz", "apr_1")], hurts=[Hurt(101.0, 102.0, "webhook")]),
    ),
    "two cards without a reason": (
        checks.doubles_are_known,
        changed(cards=[*lived().cards, Card(2, "apr_1", 103.0, OUTCOME)]),
    ),
    "a card that lies": (checks.cards_tell_the_truth, changed(cards=[Card(1, "apr_1", 100.0, "⛔ rejected")])),
    "a card that keeps its buttons": (
        checks.cards_tell_the_truth,
        changed(cards=[Card(1, "apr_1", 100.0, "e-1", is_edited=False)]),
    ),
    "a file that was answered and is not there": (checks.files_are_whole, changed(files={})),
    "a file without content": (checks.files_are_whole, changed(objects={})),
    "half a file": (checks.files_are_whole, changed(objects={"/pabal/kept/1": 3})),
    "another file": (checks.files_are_whole, changed(kept={"file_1": "other"})),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_checks_see_a_broken_promise(name: str):
    check, evidence = BROKEN[name]

    assert check(evidence).violations != []


def test_what_came_twice_around_a_fault_is_allowed():
    evidence = changed(
        hooks=[*lived().hooks, Hook("dlv_1", 103.0, "abc", "apr_1")],
        cards=[*lived().cards, Card(2, "apr_1", 103.0, "e-1", is_edited=False)],
        hurts=[Hurt(101.0, 102.0, "webhook")],
    )

    assert [check(evidence).violations for check in checks.CHECKS] == [[]] * len(checks.CHECKS)


def test_a_run_that_judged_too_little_of_anything_does_not_count():
    enough = dict(JUDGED)
    done = Counter(kill=9, point=9, database=9)

    def report(**less: int) -> Report:
        made = Report([Finding("all", "", judged={**enough, **less})])
        made.judge(done, seconds=60)
        return made

    assert report().is_good
    assert [name for name in JUDGED if report(**{name: 0}).is_good] == []
    assert all(name in report(**{name: 0}).lacking[0] for name in JUDGED)


def test_what_is_left_or_did_not_end_is_a_violation():
    for wrong in ("left", "hung", "strange", "witnesses_died"):
        report = Report([])
        report.judge(Counter({wrong: 1}), seconds=0)
        assert report.violations == 1


def test_whatever_must_be_judged_is_counted_by_a_check():
    counted = {name for check in checks.CHECKS for name in check(lived()).judged}

    assert counted == set(JUDGED)


def test_what_the_stand_ins_wrote_is_read():
    told = [
        ("began", {"host": 1000.0}),
        ("saying", {"id": "e-1", "name": ASKED}),
        ("card", {"message": 1, "text": "e-1", "data": ["apr:apr_1:y", "apr:apr_1:n"]}),
        ("hook", {"id": "dlv_1", "text": '{"data":{"about":null}}', "digest": "abc", "attempt": 1}),
        ("cut", {"service": "webhook"}),
        ("mended", {"service": "webhook"}),
        ("said", {"id": "e-1", "name": ASKED, "status": 201}),
        ("edited", {"message": 1, "text": OUTCOME}),
    ]
    evidence = Evidence()

    read_history([Line("who", 1, float(at), what, data) for at, (what, data) in enumerate(told)], evidence)

    assert (evidence.said, evidence.cuts) == ({"e-1": 201}, 1)
    assert evidence.cards == [Card(1, "apr_1", 1002.0, OUTCOME)]
    assert [(one.since, one.until) for one in evidence.hurts] == [(1004.0, 1005.0)]
