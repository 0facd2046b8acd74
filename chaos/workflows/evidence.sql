-- name: list_effects(name)
select data->>'key' as key from pabal.fact where name = :name;

-- name: count_waits()
select (select count(*) from pabal.workflow_wait) + (select count(*) from pabal.workflow_signal);

-- name: list_runs()
select r.id, r.state, r.compensates, r.input, r.opened, r.ended, v.definition
from pabal.workflow_run r join pabal.workflow_version v on v.id = r.definition_id order by r.id;

-- name: list_steps(run)
select step, item, undo, state, output, error, ended_no, opened_at from pabal.workflow_step where run_id = :run order by ended_no nulls last, step, item;

-- name: list_notes(run)
select step, what, data from pabal.workflow_note where run_id = :run order by id;
