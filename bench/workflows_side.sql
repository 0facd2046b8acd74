-- name: find_state(run, step)
select state from pabal.workflow_step where run_id = :run and step = :step and item = -1 and not undo;

-- name: are_over()
select not exists (select from pabal.workflow_run where ended_at is null);

-- name: is_empty()
select not exists (select from pabal.ready) and not exists (select from pabal.lease);
