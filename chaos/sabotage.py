"""The small ways in which the engine is sabotaged, each with the test, or the line of a short run, that must see it."""

from dataclasses import dataclass

ENGINE = "src/pabal/engine"
TESTS = "tests/engine"


@dataclass(frozen=True, slots=True)
class Mutant:
    """`old` stands in `file` exactly once. `seen_by` is a test, or `run:` and a line of the report of a short run."""

    name: str
    file: str
    old: str
    new: str
    seen_by: str

    @property
    def promise(self) -> str | None:
        """What a short run must find broken; None if a test sees it."""
        return self.seen_by.removeprefix("run:") if self.seen_by.startswith("run:") else None


def _seen_by_test(name: str, file: str, old: str, new: str, test: str) -> Mutant:
    return Mutant(name, f"{ENGINE}/{file}", old, new, f"{TESTS}/{test}")


def _seen_by_run(name: str, file: str, old: str, new: str, promise: str) -> Mutant:
    return Mutant(name, f"{ENGINE}/{file}", old, new, f"run:{promise}")


IN_A_RUN = (
    _seen_by_run(
        "keys are ignored",
        "queue.py",
        "    if any(job.key is not None for job in jobs):\n",
        "    if not jobs:\n",
        "keys",
    ),
    _seen_by_run(
        "cancels are not delivered",
        "life.py",
        "        if signals:\n            self.on_signals(signals)\n",
        "",
        "told",
    ),
    _seen_by_run(
        "a lane is freed when its holder is claimed",
        "exchange.py",
        "        claimed = await claims.claim(tx, worker, wanted, total=total)\n",
        "        claimed = await claims.claim(tx, worker, wanted, total=total)\n"
        "        held = [(job.lane, job.id) for job, _, _ in claimed if job.lane is not None]\n"
        "        await claims.lanes.release_lanes(tx, held)\n",
        "I7",
    ),
    _seen_by_run(
        "a shared lane has a holder too many",
        "lanes.sql",
        "coalesce(v.width, 1) - cardinality(l.holders) as room",
        "coalesce(v.width + 1, 1) - cardinality(l.holders) as room",
        "I27",
    ),
    _seen_by_run(
        "checkpoints are dropped",
        "claims.py",
        "        job = Job(*values)\n        job.ready_at,",
        "        job = Job(*values)\n        job.reported = None\n        job.ready_at,",
        "I26",
    ),
    _seen_by_run(
        "a replaced run goes on",
        "withdrawals.py",
        '        for reason in sorted({row["reason"] for row in rows}):\n',
        "        for reason in ():\n",
        "I12",
    ),
)

LOCKS = (
    _seen_by_test(
        "two claims may take one job",
        "claims.sql",
        "limit :total for update skip locked) r\n",
        "limit :total) r\n",
        "test_claims.py::test_a_claim_passes_over_what_another_is_claiming",
    ),
    _seen_by_test(
        "a claim does not hold its life",
        "claims.sql",
        "drain_at is null for key share),\npicked",
        "drain_at is null),\npicked",
        "test_interleavings.py::test_a_life_that_was_seen_cannot_be_buried_before_its_claim_commits",
    ),
    _seen_by_test(
        "a fence does not lock its lease",
        "claims.sql",
        "select l.id from pabal.lease l where l.id = :id and l.token = :token for update;\n\n-- name: open_held",
        "select l.id from pabal.lease l where l.id = :id and l.token = :token;\n\n-- name: open_held",
        "test_interleavings.py::test_rescue_waits_for_a_fenced_write_and_keeps_it",
    ),
    _seen_by_test(
        "pabal.hold does not lock its routes",
        "migrations/0007_hold.sql",
        "order by r.route for share)",
        "order by r.route)",
        "test_interleavings.py::test_a_takeover_waits_for_those_who_write_for_its_route_in_one_commit",
    ),
    _seen_by_test(
        "pabal.hold does not lock its leases",
        "migrations/0007_hold.sql",
        "offset 0 for update) l;",
        "offset 0) l;",
        "test_interleavings.py::test_rescue_waits_for_those_who_write_in_one_commit_and_keeps_what_they_wrote",
    ),
    _seen_by_test(
        "a settle does not lock its routes",
        "claims.sql",
        "order by route for share;",
        "order by route;",
        "test_interleavings.py::test_a_takeover_waits_for_a_settle_that_has_checked_the_epoch",
    ),
    _seen_by_test(
        "the moment of a limit is taken before the lock",
        "limits.sql",
        "(select pabal.moment() as moment)",
        "(select pabal.now() as moment)",
        "test_limits.py::test_a_start_counts_from_when_it_got_the_key_and_not_from_when_its_transaction_began",
    ),
    _seen_by_test(
        "a limit does not lock its key",
        "limits.sql",
        "order by key for update)\nselect key, promised from known",
        "order by key)\nselect key, promised from known",
        "test_limits.py::test_who_takes_a_key_that_is_known_waits_for_whoever_has_it",
    ),
    _seen_by_test(
        "two ticks may take one schedule",
        "ticks.sql",
        "limit :batch for update skip locked;",
        "limit :batch;",
        "test_ticks.py::test_two_ticks_at_once_share_the_due_schedules",
    ),
    _seen_by_test(
        "two servers may deliver to one subscriber",
        "facts.sql",
        "select pg_try_advisory_xact_lock(hashtextextended('pabal.subscription ' || :name::text, 0));",
        "select :name::text is not null;",
        "test_facts.py::test_servers_that_deliver_together_have_each_effect_once",
    ),
)

FENCES = (
    _seen_by_test(
        "a zombie may report",
        "reports.sql",
        "where l.id = g.id and l.token = g.token and (:worker",
        "where l.id = g.id and (:worker",
        "test_reports.py::test_an_attempt_that_lost_its_job_reports_nothing",
    ),
    _seen_by_test(
        "a retry beats a cancel",
        "claims.py",
        'Cancel("asked while it ran") if held[job.id, job.token] and not isinstance(outcome, Cancel) else outcome',
        "outcome",
        "test_claims.py::test_a_cancel_beats_every_outcome_that_would_bring_the_job_back",
    ),
    _seen_by_test(
        "what was cancelled meanwhile is handed back",
        "claims.sql",
        "l.token = g.token and l.cancel_at is null offset 0",
        "l.token = g.token offset 0",
        "test_claims.py::test_one_that_is_cancelled_while_it_is_handed_back_does_not_run_again",
    ),
    _seen_by_test(
        "a rescue counts nothing",
        "workers.sql",
        "failures, recoveries + 1, snoozes from body",
        "failures, recoveries, snoozes from body",
        "test_workers.py::test_the_jobs_of_a_dead_worker_go_on_counted_as_recoveries_not_failures",
    ),
    _seen_by_test(
        "the deadline of a dead server's attempt is a failure",
        "workers.sql",
        "      and (select m.until > pabal.real_now() from pabal.worker m where m.id = l.worker)\n",
        "",
        "test_workers.py::test_the_deadline_of_a_dead_servers_attempt_is_no_failure_of_its_job",
    ),
    _seen_by_test(
        "a database that starts again is given no time",
        "workers.sql",
        "where greatest(until, pg_postmaster_start_time() + :ttl::interval) < pabal.real_now() for",
        "where until + 0 * :ttl::interval < pabal.real_now() for",
        "test_workers.py::test_everybody_has_one_ttl_to_beat_after_a_restart_of_the_database",
    ),
)

LONG_WORK = (
    _seen_by_test(
        "a hand-back loses its turn",
        "endings.py",
        "turn=job.ready_at if keeps_turn else None",
        "turn=None",
        "test_exchange.py::test_what_is_handed_back_is_announced_with_its_turn_and_not_claimed_in_the_same_commit",
    ),
    _seen_by_test(
        "what was handed back is claimed in the same commit",
        "exchange.py",
        "        back = {job.queue for job, outcome in attempts if isinstance(outcome, Returned)}\n",
        "        back: set[str] = set()\n",
        "test_exchange.py::test_what_is_handed_back_is_announced_with_its_turn_and_not_claimed_in_the_same_commit",
    ),
    _seen_by_test(
        "what cannot begin is kept",
        "slots.py",
        "PATIENCE = 1.0",
        "PATIENCE = 1e6",
        "test_slots.py::test_what_could_not_begin_in_a_second_is_handed_back_with_its_turn_and_another_does_it",
    ),
    _seen_by_test(
        "room is counted without a look at the slots",
        "slots.py",
        "        if soon <= 0:\n            return 0\n",
        "        if soon <= 0:\n            return AHEAD\n",
        "test_slots.py::test_room_is_what_the_slots_can_begin_soon",
    ),
    _seen_by_test(
        "two exchanges fill the same room",
        "runner.py",
        "slow = sum(batch.room.slow for batch in self._under_way)",
        "slow = 0",
        "test_runner.py::test_the_room_of_an_exchange_under_way_is_not_given_twice",
    ),
    _seen_by_test(
        "the stall limit is not kept",
        "performing.py",
        "        elif why is Stop.DEADLINE or not self._job.is_performed:\n",
        "        elif why is Stop.DEADLINE:\n",
        "test_performing.py::test_a_handler_that_reports_nothing_for_too_long_is_told_so_and_it_counts",
    ),
    _seen_by_test(
        "poison leaves no marker",
        "inside.py",
        "        await suspects.mark(self._database, about, jobs[0].id, token=jobs[0].token)\n",
        "",
        "test_inside.py::test_one_that_takes_its_connection_along_ends_in_quarantine_and_hurts_nobody_else",
    ),
    _seen_by_test(
        "an end by expiry or cancel is not told",
        "withdrawals.py",
        "    await ends.record(tx, [End(job, result, reason) for job in jobs])\n",
        "",
        "test_ends.py::test_an_end_is_recorded_whatever_brought_it",
    ),
    _seen_by_test(
        "priority does not hold across routes",
        "claims.sql",
        "where p.priority <= coalesce((select priority from upto), 3) offset 0) m\n",
        "offset 0) m\n",
        "test_exchange.py::test_urgent_jobs_of_any_route_go_first",
    ),
)

MUTANTS = (*IN_A_RUN, *LOCKS, *FENCES, *LONG_WORK)
