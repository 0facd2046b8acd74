"""Workflows: what opens, ends, waits, is undone, and who may see it."""

from chaos.sabotage.mutant import seen_by_test

WORKFLOWS = (
    seen_by_test(
        "a step waits for one of its needs only",
        "workflows/openings.py",
        "        return len(needs) <= 1 or (run.over is not None and run.over.issuperset(needs))\n",
        "        return True\n",
        "workflows/test_runs.py::test_a_step_waits_for_all_it_needs_and_branches_run_side_by_side",
    ),
    seen_by_test(
        "a condition of a step is not asked",
        "workflows/openings.py",
        "        if step.when is not None and not conditions.judge(step.when, data, data).met:\n",
        "        if step.when is not None and not conditions:\n",
        "workflows/test_runs.py::test_a_step_whose_condition_is_not_met_is_skipped_and_the_rest_goes_on",
    ),
    seen_by_test(
        "a paused run goes on",
        "workflows/openings.py",
        "        if run.state == RunState.PAUSED:\n",
        "        if run.state == RunState.DONE:\n",
        "workflows/test_runs.py::test_a_paused_run_begins_nothing_until_it_is_resumed",
    ),
    seen_by_test(
        "a fan-out ends with its first item",
        "workflows/advance.py",
        'if row["open_items"] == 0]',
        'if row["open_items"] >= 0]',
        "workflows/test_runs.py::test_a_step_runs_for_each_item_and_gives_the_list",
    ),
    seen_by_test(
        "what was done first is undone first",
        "workflows/writing.sql",
        "order by s.ended_no desc limit 1",
        "order by s.ended_no limit 1",
        "workflows/test_runs.py::test_a_failure_takes_back_what_was_done_last_first",
    ),
    seen_by_test(
        "a signal that came early is forgotten",
        "workflows/writing.py",
        "            await self._take_kept(kept)\n",
        "",
        "workflows/test_runs.py::test_a_signal_that_comes_before_the_wait_is_kept_for_its_run",
    ),
    seen_by_test(
        "a step is tried for ever",
        "workflows/advance.py",
        "        if failed.is_final or one.failures >= most or not is_going:\n",
        "        if failed.is_final or not is_going:\n",
        "workflows/test_runs.py::test_a_failed_step_is_tried_again_after_its_time_and_then_fails_the_run",
    ),
    seen_by_test(
        "a cancelled run leaves what it asked for",
        "workflows/advance.py",
        "        await self.release(run, await self._tx.rows(writing.SQL.take_unreleased, run=run.id))\n",
        "",
        "workflows/test_runs.py::test_cancelling_ends_waits_and_children_and_takes_back_what_was_asked",
    ),
    seen_by_test(
        "a run again takes the newest version",
        "workflows/runs.py",
        'row["workflow_id"], row["number"])',
        'row["workflow_id"])',
        "workflows/test_runs.py::test_a_run_is_started_again_with_another_input_and_keeps_its_version",
    ),
    seen_by_test(
        "a kind of step may shrink",
        "workflows/definitions.py",
        "            if lost:\n",
        "            if not lost and lost:\n",
        "workflows/test_runs.py::test_a_kind_that_open_runs_need_cannot_be_removed_and_its_schema_only_grows",
    ),
    seen_by_test(
        "a run is seen from everywhere",
        "workflows/listing.sql",
        "where r.id = :id and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]));",
        "where r.id = :id and (:units::bigint[] is null or true);",
        "workflows/test_runs.py::test_a_run_of_another_unit_is_not_there",
    ),
)
