-- name: list_held(run)
select step, item, undo from pabal.workflow_step where run_id = :run and state = 'ready' and job is null order by step, item;

-- name: give_job(run_id, step, item, undo, job)!
update pabal.workflow_step set job = :job where run_id = :run_id and step = :step and item = :item and undo = :undo;

-- name: list_states(run)
select step, state from pabal.workflow_step where run_id = :run and item = -1 and not undo;

-- name: list_undone(run)
select distinct step from pabal.workflow_step where run_id = :run and undo;

-- name: put_away(run, steps, actor)!
-- how these steps were is kept; what was compensated must be done again to be undone again
with gone as (
  delete from pabal.workflow_step where run_id = :run and (step = any(:steps::smallint[]) or undo) returning *)
insert into pabal.workflow_note (run_id, step, item, undo, what, actor, data, at)
select run_id, step, item, undo, 'before_retry', :actor::text,
  jsonb_build_object('state', state, 'output', output, 'error', error, 'opened_at', opened_at, 'ended_at', ended_at), pabal.now() from gone;

-- name: reset_run(id, limit)!
-- the ends that stay are numbered from one again, so that those to come are later than all of them
with kept as (
  update pabal.workflow_step s set ended_no = k.number from (
    select ctid as place, row_number() over (order by ended_no) as number from pabal.workflow_step where run_id = :id and ended_no is not null) k
  where s.ctid = k.place)
update pabal.workflow_run r set ended_at = null, output = null, ending = null, compensates = false, reason = null,
  ends_by = pabal.now() + :limit::interval, opened = c.count, ended = c.count
from (select count(*) from pabal.workflow_step where run_id = :id) c where r.id = :id;

-- name: take_open(run, step)
-- who waits is locked first, as a sender of signals does; items end here, the step itself with what comes after it
with gone as materialized (delete from pabal.workflow_wait where run_id = :run and step = :step and not undo returning 1),
taken as materialized (
  select ctid as place, step, item, undo, job, signal, input, opened_at, state from pabal.workflow_step
  where run_id = :run and step = :step and not undo and state in ('ready', 'running', 'waiting', 'retrying') and (select count(*) from gone) >= 0
  for update),
items as (
  update pabal.workflow_step s set state = 'skipped', ended_at = pabal.now(), job = null from taken t
  where s.ctid = t.place and t.item >= 0)
select step, item, undo, job, input, opened_at, state = 'waiting' and signal is not null as has_asked from taken;

-- name: count_ended(id, ended)!
update pabal.workflow_run set ended = :ended where id = :id;

-- name: find_run_version(id)
select r.workflow_id, v.number, r.input from pabal.workflow_run r join pabal.workflow_version v on v.id = r.definition_id where r.id = :id;
