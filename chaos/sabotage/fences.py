"""What an attempt that lost its job may not do."""

from chaos.sabotage.mutant import seen_by_test

FENCES = (
    seen_by_test(
        "a zombie may report",
        "reports.sql",
        "where l.id = g.id and l.token = g.token and (:worker",
        "where l.id = g.id and (:worker",
        "test_reports.py::test_an_attempt_that_lost_its_job_reports_nothing",
    ),
    seen_by_test(
        "a retry beats a cancel",
        "claims.py",
        'Cancel("asked while it ran") if held[job.id, job.token] and not isinstance(outcome, Cancel) else outcome',
        "outcome",
        "test_claims.py::test_a_cancel_beats_every_outcome_that_would_bring_the_job_back",
    ),
    seen_by_test(
        "what was cancelled meanwhile is handed back",
        "claims.sql",
        "l.token = g.token and l.cancel_at is null offset 0",
        "l.token = g.token offset 0",
        "test_claims.py::test_one_that_is_cancelled_while_it_is_handed_back_does_not_run_again",
    ),
    seen_by_test(
        "a rescue counts nothing",
        "workers.sql",
        "failures, recoveries + 1, snoozes from body",
        "failures, recoveries, snoozes from body",
        "test_workers.py::test_the_jobs_of_a_dead_worker_go_on_counted_as_recoveries_not_failures",
    ),
    seen_by_test(
        "the deadline of a dead server's attempt is a failure",
        "workers.sql",
        "      and (select m.until > pabal.real_now() from pabal.worker m where m.id = l.worker)\n",
        "",
        "test_workers.py::test_the_deadline_of_a_dead_servers_attempt_is_no_failure_of_its_job",
    ),
    seen_by_test(
        "a database that starts again is given no time",
        "workers.sql",
        "where greatest(until, pg_postmaster_start_time() + :ttl::interval) < pabal.real_now() for",
        "where until + 0 * :ttl::interval < pabal.real_now() for",
        "test_workers.py::test_everybody_has_one_ttl_to_beat_after_a_restart_of_the_database",
    ),
)
