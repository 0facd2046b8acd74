"""The small ways in which the engine is sabotaged, each with the test, or the line of a short run, that must see it."""

# long: a list, one entry for each way
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
        "(select l.id from pabal.lease l where l.id = :id and l.token = :token for update) as id;",
        "(select l.id from pabal.lease l where l.id = :id and l.token = :token) as id;",
        "test_interleavings.py::test_rescue_waits_for_a_fenced_write_and_keeps_it",
    ),
    _seen_by_test(
        "a fence does not lock its route",
        "claims.sql",
        "where route = :queue for share),",
        "where route = :queue),",
        "test_interleavings.py::test_a_takeover_waits_for_a_fenced_write",
    ),
    _seen_by_test(
        "a fence for a route does not lock its lease",
        "claims.sql",
        "and m.count >= 0 offset 0 for update) l)",
        "and m.count >= 0 offset 0) l)",
        "test_interleavings.py::test_a_fenced_write_for_a_route_keeps_its_lease_from_who_takes_overdue_ones",
    ),
    _seen_by_test(
        "two claims may take one job of a route",
        "claims.sql",
        "limit :share for update skip locked) r\n",
        "limit :share) r\n",
        "test_interleavings.py::test_two_claims_from_one_route_pass_over_each_other",
    ),
    _seen_by_test(
        "who looks for a cancel does not lock the lease",
        "claims.sql",
        "l.token = g.token offset 0 for update skip locked) l;\n",
        "l.token = g.token offset 0) l;\n",
        "test_interleavings.py::test_a_cancel_waits_for_a_retry_that_has_looked_whether_there_was_one",
    ),
    _seen_by_test(
        "an exchange does not hold its life",
        "workers.sql",
        "until > pabal.real_now() for key share) as id;",
        "until > pabal.real_now()) as id;",
        "test_interleavings.py::test_an_exchange_holds_its_life_before_it_settles",
    ),
    _seen_by_test(
        "an overdue lease is taken while it is settled",
        "workers.sql",
        "    offset 0 for update skip locked) l limit :slice),",
        "    offset 0) l limit :slice),",
        "test_interleavings.py::test_who_takes_overdue_leases_passes_over_one_that_is_being_settled",
    ),
    _seen_by_test(
        "stops are noted in any order",
        "reports.sql",
        "l.token = g.token offset 0 for update) l)\nupdate",
        "l.token = g.token offset 0) l)\nupdate",
        "test_interleavings.py::test_who_notes_stops_locks_leases_in_the_order_of_ids_however_they_stand_in_the_table",
    ),
    _seen_by_test(
        "two servers may promote what is due",
        "delays.sql",
        "limit :slice for update skip locked),",
        "limit :slice),",
        "test_interleavings.py::test_servers_that_promote_together_pass_over_what_another_is_promoting",
    ),
    _seen_by_test(
        "a priority is moved while its job goes on",
        "priorities.sql",
        "where id = :id for update),",
        "where id = :id),",
        "test_priorities.py::test_one_whose_moment_comes_meanwhile_goes_on_with_it",
    ),
    _seen_by_test(
        "two servers may try what is in doubt",
        "suspects.sql",
        "select pg_try_advisory_xact_lock(hashtextextended('pabal.suspect ' || :name::text, 0));",
        "select :name::text is not null;",
        "test_inside.py::test_one_in_doubt_is_tried_by_one_server_at_a_time",
    ),
    _seen_by_test(
        "two servers may obey one asking",
        "withdrawals.sql",
        "order by a.id limit :slice for update skip locked)",
        "order by a.id limit :slice)",
        "test_withdrawals.py::test_servers_that_obey_together_leave_one_anothers",
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

LANES = (
    _seen_by_test(
        "a lane is opened beside a change of its width",
        "lanes.sql",
        "from (select pg_advisory_xact_lock_shared(7271300)) gate cross join unnest",
        "from unnest",
        "test_interleavings_lanes.py::test_who_opens_a_lane_waits_for_a_narrower_width_and_reads_it",
    ),
    _seen_by_test(
        "a width is changed beside who opens the lane",
        "widths.sql",
        "select pg_advisory_xact_lock(7271300);",
        "select 1;",
        "test_interleavings_lanes.py::test_a_narrower_width_waits_for_who_is_opening_the_lane",
    ),
    _seen_by_test(
        "who opens a lane does not lock it",
        "lanes.sql",
        "on conflict (lane) do update set lane = excluded.lane where false;",
        "on conflict (lane) do nothing;",
        "test_interleavings_lanes.py::"
        "test_two_that_promote_a_shared_lane_step_by_step_count_its_holders_one_after_the_other",
    ),
    _seen_by_test(
        "lanes are freed in any order",
        "lanes.sql",
        "l.holders && g.ids offset 0 for update) l)",
        "l.holders && g.ids offset 0) l)",
        "test_interleavings_lanes.py::"
        "test_who_frees_lanes_locks_them_in_the_order_of_their_names_however_they_stand_in_the_table",
    ),
    _seen_by_test(
        "a lane lets go whom somebody is taking out",
        "lanes.sql",
        "limit greatest(f.room, 0) for update skip locked) w on true),",
        "limit greatest(f.room, 0)) w on true),",
        "test_interleavings_lanes.py::test_a_cancel_of_the_next_in_line_while_the_lane_advances_skips_it",
    ),
    _seen_by_test(
        "a narrower width does not lock its lanes",
        "widths.sql",
        "= :name order by lane for update;",
        "= :name order by lane;",
        "test_interleavings_lanes.py::test_a_narrower_width_waits_for_a_settle_and_takes_back_whom_it_let_go",
    ),
    _seen_by_test(
        "a narrower width takes back what a claim is taking",
        "lanes.sql",
        "limit o.excess for update skip locked) r),",
        "limit o.excess) r),",
        "test_interleavings_lanes.py::test_a_narrower_width_leaves_what_a_claim_is_taking_to_it",
    ),
)

NARROWER = "test_widths.py::test_one_that_is_ready_again_in_a_lane_that_became_narrower_waits_for_its_turn"
RETURNS = (
    _seen_by_test(
        "every start changes the widths",
        "widths.py",
        "        if await tx.value(SQL.is_declared, **declared):\n            return\n",
        "",
        "test_interleavings_lanes.py::test_a_server_that_declares_nothing_new_waits_for_nobody",
    ),
    _seen_by_test(
        "who returns to a narrower lane goes on",
        "lanes.py",
        '        await take_back(tx, [row["lane"] for row in locked if row["is_back"]])\n',
        "",
        NARROWER,
    ),
    _seen_by_test(
        "who returns to a lane does not lock it",
        "lanes.sql",
        "order by l.lane for update;\n\n-- name: take_back",
        "order by l.lane;\n\n-- name: take_back",
        "test_interleavings_lanes.py::test_who_returns_to_a_lane_waits_for_a_narrower_width_and_heeds_it",
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
        "        back = {job.queue for job in returned}\n",
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
        "two exchanges fetch as much ahead",
        "runner.py",
        "len(self._plain.waiting) + self._reserved + sum(batch.room.quick for batch in self._under_way)",
        "len(self._plain.waiting) + self._reserved",
        "test_runner.py::test_the_room_of_an_exchange_under_way_is_not_given_twice",
    ),
    _seen_by_test(
        "two exchanges fill the same slots for routes",
        "runner.py",
        "len(self._routed.waiting) + sum(batch.room.routed for batch in self._under_way)",
        "len(self._routed.waiting)",
        "test_runner.py::test_the_room_of_an_exchange_under_way_is_not_given_twice",
    ),
    _seen_by_test(
        "two exchanges fill the same slots of a kind",
        "runner.py",
        "claiming = sum(batch.room.limits.get(kind.names, 0) for batch in self._under_way)",
        "claiming = 0",
        "test_runner.py::test_the_room_of_an_exchange_under_way_is_not_given_twice",
    ),
    _seen_by_test(
        "what a failed exchange was to settle is forgotten",
        "runner.py",
        "                self._ended = batch.ended + self._ended\n",
        "",
        "test_runner.py::test_what_an_exchange_that_failed_was_to_settle_ends_once",
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
        "a marker counts whenever the database was started",
        "suspects.sql",
        "coalesce(trying_since = pg_postmaster_start_time(), false)",
        "trying_since is not null",
        "test_inside.py::test_a_marker_from_before_the_database_started_counts_nothing",
    ),
    _seen_by_test(
        "a stall counts without a witness",
        "inside.py",
        "counts = not self.is_stopping and is_watched and await self._witness.answers()",
        "counts = not self.is_stopping",
        "test_inside.py::test_a_stall_while_the_database_goes_away_is_nobodys_failure",
    ),
    _seen_by_test(
        "a stop of the server is a stall of its inside work",
        "inside.py",
        "counts = not self.is_stopping and is_watched",
        "counts = is_watched",
        "test_inside.py::test_a_stop_of_the_server_is_no_stall",
    ),
    _seen_by_test(
        "a stop of the server is a stall of its deliveries",
        "suspects.py",
        'await (self._undo() if is_stopping() else self._lose("it stalled"))',
        'await self._lose("it stalled")',
        "test_facts.py::test_a_stop_of_the_server_is_no_stall_of_a_delivery",
    ),
    _seen_by_test(
        "a connection that is cut counts nothing",
        "steps.py",
        "            if is_watched and await self._witness.answers():\n",
        "            if not self._is_needed:\n",
        "test_cuts.py::test_steps_end_with_their_reason",
    ),
    _seen_by_test(
        "an end by expiry or cancel is not told",
        "withdrawals.py",
        "    await ends.record(tx, [End(job, result, reason) for job in jobs])\n",
        "",
        "test_ends.py::test_an_end_is_recorded_whatever_brought_it",
    ),
    _seen_by_test(
        "an exchange looks at no routes of the other",
        "exchange.py",
        "routes.union(*self._looking) if routes else set()",
        "set(routes)",
        "test_exchange.py::test_urgent_jobs_at_which_another_exchange_looks_go_first_too",
    ),
    _seen_by_test(
        "routes are looked at while work of another goes back",
        "exchange.py",
        "            room = replace(room, routed=0)\n",
        "            pass\n",
        "test_exchange.py::test_nothing_of_a_route_is_claimed_in_a_commit_that_hands_back_work_of_another",
    ),
    _seen_by_test(
        "priority does not hold across routes",
        "claims.sql",
        "where p.priority <= coalesce((select priority from upto), 3) offset 0) m\n",
        "offset 0) m\n",
        "test_exchange.py::test_urgent_jobs_of_any_route_go_first",
    ),
)

HEAD_STARTS = (
    _seen_by_test(
        "a head start is taken whether or not the server drains",
        "headstart.sql",
        "and drain_at is null for key share",
        "for key share",
        "test_headstart.py::test_nor_does_a_draining_server_take_it_also_before_it_has_heard",
    ),
    _seen_by_test(
        "a life is not held while something begins in its name",
        "headstart.sql",
        " for key share skip locked",
        "",
        "test_headstart.py::test_a_rescue_passes_over_a_life_that_is_just_beginning_something",
    ),
    _seen_by_test(
        "what has a head start takes no slot",
        "runner.py",
        "        if len(self._running) - self._routed_running + self._reserved >= self._plain.size:\n"
        "            return False\n",
        "",
        "test_headstart.py::test_a_server_without_a_free_slot_only_enqueues_it",
    ),
    _seen_by_test(
        "a life that lapsed performs what it began",
        "headstart.py",
        "            if self._worker == runner.life.worker:\n                runner.run_begun(job)\n",
        "            runner.run_begun(job)\n",
        "test_headstart.py::test_a_life_that_lapsed_before_the_commit_performs_nothing",
    ),
    _seen_by_test(
        "a commit of which nobody heard is not looked for",
        "headstart.py",
        "            runner.release(job)\n            runner.reconcile_soon()\n",
        "            runner.release(job)\n",
        "test_headstart.py::test_a_commit_of_which_nobody_heard_is_handed_back_and_tried_again",
    ),
    _seen_by_test(
        "what is being committed is taken for lost",
        "runner.py",
        "        self._beginning.add(job.key)\n",
        "        return\n",
        "test_headstart.py::test_nothing_is_handed_back_that_is_still_being_committed",
    ),
)

_HEAD, _BEGINNING = "test_headstart.py", "test_beginning.py"
_BEGUN = f"{_BEGINNING}::test_one_that_begins_in_a_statement_of_its_own_is_like_any_other_and_wakes_whom_it_must"
_PICKED = f"{_BEGINNING}::test_what_is_picked_and_moved_in_one_statement_is_as_if_it_were_three"
_REFUSED = f"{_BEGINNING}::test_what_needs_more_than_one_statement_is_not_done_in_one"
_PREPARED = f"{_HEAD}::test_one_that_its_asker_prepared_begins_with_what_the_asker_writes"

AT_ONCE = (
    _seen_by_test(
        "what begins at once wakes nobody who reads facts",
        "transitions.py",
        "lambda row: {**_woken(machine), **hint(row)}",
        "lambda row: dict(hint(row))",
        _BEGUN,
    ),
    _seen_by_test(
        "what begins at once wakes nobody whom its asker names",
        "transitions.py",
        "lambda row: {**_woken(machine), **hint(row)}",
        "lambda row: _woken(machine)",
        _BEGUN,
    ),
    _seen_by_test(
        "what begins at once has no history",
        "transitions.sql",
        "  from begun b),\n",
        "  from begun b where false),\n",
        _BEGUN,
    ),
    _seen_by_test(
        "what begins at once is no fact",
        "transitions.sql",
        "  from begun b)\nselect",
        "  from begun b where false)\nselect",
        _BEGUN,
    ),
    _seen_by_test(
        "timers and effects are left out of what is done at once",
        "transitions.py",
        "    if machine.timers or machine.effects:\n        raise TypeError",
        "    if not machine.name:\n        raise TypeError",
        _REFUSED,
    ),
    _seen_by_test(
        "a guard is not asked for a move at once",
        "transitions.py",
        "found is None or found.guard is not None or found.target != target",
        "found is None or found.target != target",
        _REFUSED,
    ),
    _seen_by_test(
        "a move at once takes what stands in another state",
        "transitions.sql",
        "from picked p where s.id = p.id and (s.state = :source::text) is true\n",
        "from picked p where s.id = p.id and :source::text is not null\n",
        _PICKED,
    ),
    _seen_by_test(
        "a move at once is no new version",
        "transitions.sql",
        "version = s.version + 1, subject_own\n  from picked",
        "version = s.version, subject_own\n  from picked",
        _PICKED,
    ),
    _seen_by_test(
        "a move at once tells of no version",
        "transitions.sql",
        " || jsonb_build_object('version', m.moved_version)",
        "",
        _PICKED,
    ),
    _seen_by_test(
        "a move at once wakes nobody",
        "transitions.py",
        "lambda _: _woken(machine)",
        "lambda _: {}",
        _PICKED,
    ),
    _seen_by_test(
        "what its asker prepared is prepared again",
        "headstart.py",
        "given.value if given is not None else await",
        "await",
        _PREPARED,
    ),
    _seen_by_test(
        "what the asker of a prepared job writes is left out",
        "headstart.py",
        'replace(along, text=f",\\n{along.text}")',
        'replace(along, text=f",\\n{along.text}".replace(" from body", " from body where false"))',
        _PREPARED,
    ),
    _seen_by_test(
        "a prepared job that cannot begin is enqueued without its asker's part",
        "headstart.py",
        "return None if begun is None else Enqueued",
        "return await queue.enqueue(tx, job) if begun is None else Enqueued",
        f"{_HEAD}::test_where_it_cannot_begin_nothing_of_that_is_written",
    ),
    _seen_by_test(
        "what is for later begins now",
        "headstart.py",
        " or job.delay or job.run_at or job.expires_at)",
        ")",
        f"{_HEAD}::test_what_needs_more_than_room_is_enqueued_as_ever",
    ),
    _seen_by_test(
        "a slot stays taken by what could not begin",
        "headstart.py",
        "        except BaseException:\n            runner.release()\n",
        "        except BaseException:\n",
        f"{_HEAD}::test_a_prepare_that_raises_undoes_everything_and_says_so",
    ),
)

_FINISHING = "test_finishing.py"

ENDS = (
    _seen_by_test(
        "an attempt ends by one statement whoever has its job",
        "finishing.sql",
        " and l.token = :token for update",
        " and :token::bigint is not null for update",
        f"{_FINISHING}::test_nor_does_one_whose_job_is_somebody_elses_by_now",
    ),
    _seen_by_test(
        "an attempt ends though its subject stands elsewhere",
        "finishing.sql",
        "(select h.* from held h where exists (select from picked))",
        "(select h.* from held h)",
        f"{_FINISHING}::test_a_subject_that_stands_elsewhere_is_left_to_its_record",
    ),
    _seen_by_test(
        "what ends by one statement leaves its lease",
        "finishing.sql",
        "gone as (delete from pabal.lease where id",
        "gone as (delete from pabal.lease where false and id",
        f"{_FINISHING}::test_one_statement_leaves_what_a_transaction_would",
    ),
    _seen_by_test(
        "what has a lane ends by one statement",
        "finishing.py",
        "is_alone = job.lane is None and job.route_epoch is None",
        "is_alone = job.route_epoch is None",
        f"{_FINISHING}::test_what_ends_more_than_itself_is_recorded_as_ever",
    ),
)

WORKFLOWS = (
    _seen_by_test(
        "a step waits for one of its needs only",
        "workflows/openings.py",
        "        return len(needs) <= 1 or (run.over is not None and run.over.issuperset(needs))\n",
        "        return True\n",
        "workflows/test_runs.py::test_a_step_waits_for_all_it_needs_and_branches_run_side_by_side",
    ),
    _seen_by_test(
        "a condition of a step is not asked",
        "workflows/openings.py",
        "        if step.when is not None and not conditions.judge(step.when, data, data).met:\n",
        "        if step.when is not None and not conditions:\n",
        "workflows/test_runs.py::test_a_step_whose_condition_is_not_met_is_skipped_and_the_rest_goes_on",
    ),
    _seen_by_test(
        "a paused run goes on",
        "workflows/openings.py",
        "        if run.state == RunState.PAUSED:\n",
        "        if run.state == RunState.DONE:\n",
        "workflows/test_runs.py::test_a_paused_run_begins_nothing_until_it_is_resumed",
    ),
    _seen_by_test(
        "a fan-out ends with its first item",
        "workflows/advance.py",
        'if row["open_items"] == 0]',
        'if row["open_items"] >= 0]',
        "workflows/test_runs.py::test_a_step_runs_for_each_item_and_gives_the_list",
    ),
    _seen_by_test(
        "what was done first is undone first",
        "workflows/writing.sql",
        "order by s.ended_no desc limit 1",
        "order by s.ended_no limit 1",
        "workflows/test_runs.py::test_a_failure_takes_back_what_was_done_last_first",
    ),
    _seen_by_test(
        "a signal that came early is forgotten",
        "workflows/writing.py",
        "            await self._take_kept(kept)\n",
        "",
        "workflows/test_runs.py::test_a_signal_that_comes_before_the_wait_is_kept_for_its_run",
    ),
    _seen_by_test(
        "a step is tried for ever",
        "workflows/advance.py",
        "        if failed.is_final or one.failures >= most or not is_going:\n",
        "        if failed.is_final or not is_going:\n",
        "workflows/test_runs.py::test_a_failed_step_is_tried_again_after_its_time_and_then_fails_the_run",
    ),
    _seen_by_test(
        "a cancelled run leaves what it asked for",
        "workflows/advance.py",
        "        await self._release(run)\n        await self._conclude()\n",
        "        await self._conclude()\n",
        "workflows/test_runs.py::test_cancelling_ends_waits_and_children_and_takes_back_what_was_asked",
    ),
    _seen_by_test(
        "a run again takes the newest version",
        "workflows/runs.py",
        'row["workflow_id"], row["number"])',
        'row["workflow_id"])',
        "workflows/test_runs.py::test_a_run_is_started_again_with_another_input_and_keeps_its_version",
    ),
    _seen_by_test(
        "a kind of step may shrink",
        "workflows/definitions.py",
        "            if lost:\n",
        "            if not lost and lost:\n",
        "workflows/test_runs.py::test_a_kind_that_open_runs_need_cannot_be_removed_and_its_schema_only_grows",
    ),
    _seen_by_test(
        "a run is seen from everywhere",
        "workflows/listing.sql",
        "where r.id = :id and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]));",
        "where r.id = :id and (:units::bigint[] is null or true);",
        "workflows/test_runs.py::test_a_run_of_another_unit_is_not_there",
    ),
)

MUTANTS = (*IN_A_RUN, *LOCKS, *LANES, *RETURNS, *FENCES, *LONG_WORK, *HEAD_STARTS, *AT_ONCE, *ENDS, *WORKFLOWS)
