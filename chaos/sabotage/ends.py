"""Attempts that end with their job's subject in one statement."""

from chaos.sabotage.mutant import seen_by_test

_FINISHING = "test_finishing.py"

ENDS = (
    seen_by_test(
        "an attempt ends by one statement whoever has its job",
        "finishing.sql",
        " and l.token = :token for update",
        " and :token::bigint is not null for update",
        f"{_FINISHING}::test_nor_does_one_whose_job_is_somebody_elses_by_now",
    ),
    seen_by_test(
        "an attempt ends though its subject stands elsewhere",
        "finishing.sql",
        "(select h.* from held h where exists (select from picked))",
        "(select h.* from held h)",
        f"{_FINISHING}::test_a_subject_that_stands_elsewhere_is_left_to_its_record",
    ),
    seen_by_test(
        "what ends by one statement leaves its lease",
        "finishing.sql",
        "gone as (delete from pabal.lease where id",
        "gone as (delete from pabal.lease where false and id",
        f"{_FINISHING}::test_one_statement_leaves_what_a_transaction_would",
    ),
    seen_by_test(
        "what has a lane ends by one statement",
        "finishing.py",
        "is_alone = job.lane is None and job.route_epoch is None",
        "is_alone = job.route_epoch is None",
        f"{_FINISHING}::test_what_ends_more_than_itself_is_recorded_as_ever",
    ),
)
