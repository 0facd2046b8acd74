-- name: start_steps(jobs, runs, steps, items, uptos, undos)
-- Only the job that a step names may write it. What waited stays as it is: its end comes with its answer.
update pabal.workflow_step s set
  state = case when s.state = 'waiting' then s.state else 'running' end,
  attempt = case when s.state = 'waiting' then s.attempt else s.attempt + 1 end,
  started_at = coalesce(s.started_at, pabal.now())
from (
  select s.place from unnest(:jobs::bigint[], :runs::bigint[], :steps::smallint[], :items::int[], :uptos::int[], :undos::boolean[])
    as g(job, run_id, step, item, upto, undo) cross join lateral (
    select s.ctid as place from pabal.workflow_step s
    where s.run_id = g.run_id and s.step = g.step and s.item between g.item and g.upto and s.undo = g.undo
      and s.job = g.job and s.state in ('ready', 'running', 'waiting', 'retrying') offset 0 for update) s) g
where s.ctid = g.place
returning s.job, s.run_id, s.step, s.item, s.undo, s.attempt, s.failures, s.input, s.due_at, s.opened_at, s.signal;

-- name: start_moved(jobs, runs)
-- The same for a strand that died after its first step: wherever in its run it had come to.
update pabal.workflow_step s set
  state = case when s.state = 'waiting' then s.state else 'running' end,
  attempt = case when s.state = 'waiting' then s.attempt else s.attempt + 1 end,
  started_at = coalesce(s.started_at, pabal.now())
from (
  select s.place from unnest(:jobs::bigint[], :runs::bigint[]) as g(job, run_id) cross join lateral (
    select s.ctid as place from pabal.workflow_step s
    where s.run_id = g.run_id and s.job = g.job and s.state in ('ready', 'running', 'waiting', 'retrying') offset 0 for update) s) g
where s.ctid = g.place
returning s.job, s.run_id, s.step, s.item, s.undo, s.attempt, s.failures, s.input, s.due_at, s.opened_at, s.signal;

-- name: find_steps(jobs, runs, steps, items, undos)
-- Locked: from here on no signal can take them over.
select s.run_id, s.step, s.item, s.undo
from unnest(:jobs::bigint[], :runs::bigint[], :steps::smallint[], :items::int[], :undos::boolean[]) as g(job, run_id, step, item, undo)
cross join lateral (
  select s.run_id, s.step, s.item, s.undo from pabal.workflow_step s
  where s.run_id = g.run_id and s.step = g.step and s.item = g.item and s.undo = g.undo and s.job = g.job
    and s.state in ('ready', 'running', 'waiting', 'retrying') offset 0 for update) s;

-- name: has_steps(job, run)
select exists (
  select from pabal.workflow_step s where s.run_id = :run and s.job = :job and s.state in ('ready', 'running', 'waiting', 'retrying'));

-- name: list_steps_of(job, run)
select s.job, s.run_id, s.step, s.item, s.undo, s.attempt, s.failures, s.input, s.due_at, s.opened_at, s.signal
from pabal.workflow_step s
where s.run_id = :run and s.job = :job and s.state in ('ready', 'running', 'waiting', 'retrying') order by s.step, s.item for update;

-- name: hold_back(run_id, step, item, undo)!
update pabal.workflow_step set state = 'ready', job = null
where run_id = :run_id and step = :step and item = :item and undo = :undo;

-- name: forget_wait(run_id, step, item, undo)!
delete from pabal.workflow_wait where run_id = :run_id and step = :step and item = :item and undo = :undo;
