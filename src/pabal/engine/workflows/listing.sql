-- name: list_workflows(units, seen_by, archived)
select w.id, w.unit_id, w.name, coalesce(v.definition->>'title', '') as title, w.newest, w.seen_by, w.archived_at, v.made_by, v.made_at,
  (select count(*) from pabal.workflow_run r where r.workflow_id = w.id and r.ended_at is null) as open_runs,
  (select count(*) from pabal.workflow_run r where r.workflow_id = w.id and r.state = 'failed') as failed_runs
from pabal.workflow w join pabal.workflow_version v on v.workflow_id = w.id and v.number = w.newest
where (:units::bigint[] is null or w.unit_id = any(:units::bigint[])) and w.seen_by = any(:seen_by::text[])
  and (:archived::boolean or w.archived_at is null)
order by w.name, w.id;

-- name: list_versions(id)
select id, workflow_id, number, definition, made_by, made_at from pabal.workflow_version where workflow_id = :id order by number desc;

-- name: list_runs(units, workflow, states, seen_by, before, most)
select r.id, r.unit_id, r.workflow_id, w.name, v.number, w.seen_by, r.state, r.version, r.owner, r.input, r.output, r.parent_id, r.again_of, r.cause,
  r.reason, r.compensates, r.opened, r.ended, r.started_at, r.ends_by, r.ended_at, v.definition
from pabal.workflow_run r join pabal.workflow w on w.id = r.workflow_id join pabal.workflow_version v on v.id = r.definition_id
where r.id < :before and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]))
  and (:workflow::bigint is null or r.workflow_id = :workflow) and (:states::text[] is null or r.state = any(:states::text[]))
  and w.seen_by = any(:seen_by::text[])
order by r.id desc limit :most;

-- name: get_run(id, units)
select r.id, r.unit_id, r.workflow_id, w.name, v.number, w.seen_by, r.state, r.version, r.owner, r.input, r.output, r.parent_id, r.again_of, r.cause,
  r.reason, r.compensates, r.opened, r.ended, r.started_at, r.ends_by, r.ended_at, v.definition
from pabal.workflow_run r join pabal.workflow w on w.id = r.workflow_id join pabal.workflow_version v on v.id = r.definition_id
where r.id = :id and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]));

-- name: list_steps(run, most)
select step, item, undo, state, attempt, failures, open_items, input, output, error, signal, job, opened_at, started_at, due_at, ended_at, ended_no
from pabal.workflow_step where run_id = :run order by item >= 0, state <> 'failed', step, item, undo limit :most;

-- name: list_notes(run)
select id, step, item, undo, what, actor, data, at from pabal.workflow_note where run_id = :run order by id;

-- name: find_definition(run)
select v.definition from pabal.workflow_run r join pabal.workflow_version v on v.id = r.definition_id where r.id = :run;

-- name: find_versions(runs)
select r.id, r.workflow_id, v.number from pabal.workflow_run r join pabal.workflow_version v on v.id = r.definition_id
where r.id = any(:runs::bigint[]);
