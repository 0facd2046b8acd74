"""Lanes and their widths, and who returns to them."""

from chaos.sabotage.mutant import seen_by_test

LANES = (
    seen_by_test(
        "a lane is opened beside a change of its width",
        "lanes.sql",
        "from (select pg_advisory_xact_lock_shared(7271300)) gate cross join unnest",
        "from unnest",
        "test_interleavings_lanes.py::test_who_opens_a_lane_waits_for_a_narrower_width_and_reads_it",
    ),
    seen_by_test(
        "a width is changed beside who opens the lane",
        "widths.sql",
        "select pg_advisory_xact_lock(7271300);",
        "select 1;",
        "test_interleavings_lanes.py::test_a_narrower_width_waits_for_who_is_opening_the_lane",
    ),
    seen_by_test(
        "who opens a lane does not lock it",
        "lanes.sql",
        "on conflict (lane) do update set lane = excluded.lane where false;",
        "on conflict (lane) do nothing;",
        "test_interleavings_lanes.py::"
        "test_two_that_promote_a_shared_lane_step_by_step_count_its_holders_one_after_the_other",
    ),
    seen_by_test(
        "lanes are freed in any order",
        "lanes.sql",
        "l.holders && g.ids offset 0 for update) l)",
        "l.holders && g.ids offset 0) l)",
        "test_interleavings_lanes.py::"
        "test_who_frees_lanes_locks_them_in_the_order_of_their_names_however_they_stand_in_the_table",
    ),
    seen_by_test(
        "a lane lets go whom somebody is taking out",
        "lanes.sql",
        "limit greatest(f.room, 0) for update skip locked) w on true),",
        "limit greatest(f.room, 0)) w on true),",
        "test_interleavings_lanes.py::test_a_cancel_of_the_next_in_line_while_the_lane_advances_skips_it",
    ),
    seen_by_test(
        "a narrower width does not lock its lanes",
        "widths.sql",
        "= :name order by lane for update;",
        "= :name order by lane;",
        "test_interleavings_lanes.py::test_a_narrower_width_waits_for_a_settle_and_takes_back_whom_it_let_go",
    ),
    seen_by_test(
        "a narrower width takes back what a claim is taking",
        "lanes.sql",
        "limit o.excess for update skip locked) r),",
        "limit o.excess) r),",
        "test_interleavings_lanes.py::test_a_narrower_width_leaves_what_a_claim_is_taking_to_it",
    ),
)

_NARROWER = "test_widths.py::test_one_that_is_ready_again_in_a_lane_that_became_narrower_waits_for_its_turn"
RETURNS = (
    seen_by_test(
        "the end of a job has no room for the next of its lane",
        "runner.py",
        "_Batch(self._ended, self._room(self._ended) if self._ended else room)",
        "_Batch(self._ended, room)",
        "test_runner.py::test_the_next_of_a_lane_is_claimed_with_the_end_of_the_one_before",
    ),
    seen_by_test(
        "an end that lets another go waits for others",
        "runner.py",
        "if job.lane is not None and self._has_idle_slot(job):",
        "if job.lane is None and self._has_idle_slot(job):",
        "test_runner.py::test_an_end_that_lets_another_go_waits_for_no_other_end_where_a_slot_is_idle",
    ),
    seen_by_test(
        "nobody is told of what a claim had no room for",
        "exchange.py",
        "if 0 < len(claimed) < total:",
        "if len(claimed) > 0:",
        "test_exchange.py::test_nobody_is_told_of_what_was_claimed_in_the_same_commit",
    ),
    seen_by_test(
        "a claim of nothing is looked through again",
        "exchange.py",
        "until = {queue: self._hinted[queue] for queue in dirty & self._hinted.keys()}",
        "until: dict[str, datetime] = {}",
        "test_exchange.py::test_a_claim_of_nothing_is_not_looked_through_again",
    ),
    seen_by_test(
        "every start changes the widths",
        "widths.py",
        "        if await tx.value(SQL.is_declared, **declared):\n            return\n",
        "",
        "test_interleavings_lanes.py::test_a_server_that_declares_nothing_new_waits_for_nobody",
    ),
    seen_by_test(
        "who returns to a narrower lane goes on",
        "lanes.py",
        '        await take_back(tx, [row["lane"] for row in locked if row["is_back"]])\n',
        "",
        _NARROWER,
    ),
    seen_by_test(
        "who returns to a lane does not lock it",
        "lanes.sql",
        "order by l.lane for update;\n\n-- name: take_back",
        "order by l.lane;\n\n-- name: take_back",
        "test_interleavings_lanes.py::test_who_returns_to_a_lane_waits_for_a_narrower_width_and_heeds_it",
    ),
)
