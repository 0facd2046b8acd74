-- name: cancel_open(runs)
-- Who waits is locked first, as a sender of signals does. A fan-out ends with its items; those that run end by themselves.
with gone as materialized (
  delete from pabal.workflow_wait where ctid = any(array(
    select ctid from pabal.workflow_wait where run_id = any(:runs::bigint[]) order by signal, run_id, step, item for update))
  returning 1),
over as (
  update pabal.workflow_step s set state = 'cancelled', ended_at = pabal.now(), job = null
  from (
    select s.ctid as place, s.job from pabal.workflow_step s
    where s.run_id = any(:runs::bigint[]) and (select count(*) from gone) >= 0 and not s.undo
      and (s.state in ('ready', 'waiting', 'retrying') or (s.state = 'running' and s.open_items is not null)) for update) o
  where s.ctid = o.place
  returning s.run_id, o.job, s.signal),
counted as (
  update pabal.workflow_run r set ended = r.ended + c.count
  from (select run_id, count(*) as count from over group by run_id) c where r.id = c.run_id)
select run_id, job, signal from over;

-- name: list_running(runs)
select job from pabal.workflow_step where run_id = any(:runs::bigint[]) and state = 'running' and not undo;

-- name: name_ending(runs)!
-- nobody said why: its timer did
update pabal.workflow_run set ending = 'failed', reason = 'its time is over' where id = any(:runs::bigint[]) and ending is null;
