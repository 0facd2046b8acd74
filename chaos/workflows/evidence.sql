-- name: list_runs()
select r.id, v.definition, r.state, r.version, r.input, r.output, r.parent_id, r.depth, r.compensates, r.reason, r.opened, r.ended
from pabal.workflow_run r join pabal.workflow_version v on v.id = r.definition_id order by r.id;

-- name: list_steps()
select run_id, step, item, undo, state, attempt, failures, open_items, input, output, error, signal, opened_at, due_at, ended_at, ended_no
from pabal.workflow_step order by run_id, step, item, undo;

-- name: list_notes()
select run_id, step, item, undo, what, data from pabal.workflow_note order by id;

-- name: list_transitions()
select machine, subject, version, event, source, target, unit_id, actor, reason, cause, at from pabal.transition
where machine = 'workflow_run' order by subject, version;

-- name: list_effects()
select key, what, n from chaos.step_effect;

-- name: count_jobs()
select (select count(*) from pabal.ready) + (select count(*) from pabal.delayed) + (select count(*) from pabal.waiting) + (select count(*) from pabal.lease);

-- name: count_waits()
select count(*) from pabal.workflow_wait;

-- name: count_signals()
-- of one that comes as its run ends a row may stay: sending locks no run (decision 71)
select count(*) from pabal.workflow_signal k join pabal.workflow_run r on r.id = k.run_id where r.ended_at is null;

-- name: count_left()
-- a run whose last step is over may still have a timer that is to be taken back
select (select count(*) from pabal.workflow_run where ended_at is null) + (select count(*) from pabal.lease) + (select count(*) from pabal.ready)
     + (select count(*) from pabal.delayed) as left;
