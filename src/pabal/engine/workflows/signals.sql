-- name: find_awaited(signals)
-- one look for each: with a list of them the planner reads every wait there is
select g.signal from unnest(:signals::text[]) as g(signal)
join lateral (select from pabal.workflow_wait w where w.signal = g.signal limit 1) w on true;

-- name: take_waits(signals)
-- in one order for everybody: two who send the same signals cannot block each other
with taken as materialized (
  select w.ctid as place, w.* from pabal.workflow_wait w where w.signal = any(:signals::text[]) order by w.signal, w.run_id, w.step, w.item for update),
gone as (delete from pabal.workflow_wait where ctid = any(array(select place from taken)))
select t.signal, t.run_id, t.step, t.item, t.undo, r.unit_id from taken t cross join lateral (select r.unit_id from pabal.workflow_run r where r.id = t.run_id offset 0) r
order by t.signal, t.run_id, t.step, t.item;

-- name: take_waits_of(signal, run)
with taken as materialized (
  select w.ctid as place, w.* from pabal.workflow_wait w where w.signal = :signal and w.run_id = :run::bigint order by w.step, w.item limit 1 for update),
gone as (delete from pabal.workflow_wait where ctid = any(array(select place from taken)))
select t.signal, t.run_id, t.step, t.item, t.undo, r.unit_id from taken t cross join lateral (select r.unit_id from pabal.workflow_run r where r.id = t.run_id offset 0) r;

-- name: keep_signal(run, signal, data)!
-- a run that is over waits for nothing any more
insert into pabal.workflow_signal (run_id, signal, data, at) select r.id, :signal, :data, pabal.now()
from pabal.workflow_run r where r.id = :run and r.ended_at is null;

-- name: hand_over(runs, steps, items, undos, jobs)
-- from now on this job may write the step, and the timer of its wait may not
update pabal.workflow_step s set job = f.job
from (
  select g.*, s.place, s.timer from unnest(:runs::bigint[], :steps::smallint[], :items::int[], :undos::boolean[], :jobs::bigint[])
    as g(run_id, step, item, undo, job) cross join lateral (
    select s.ctid as place, s.job as timer from pabal.workflow_step s
    where s.run_id = g.run_id and s.step = g.step and s.item = g.item and s.undo = g.undo and s.state = 'waiting' offset 0 for update) s) f
where s.ctid = f.place
returning f.timer;
