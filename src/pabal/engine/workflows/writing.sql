-- name: lock_runs(ids)
select id, unit_id, state, definition_id, owner, depth, parent_id, ending, compensates, opened, ended, bytes
from pabal.workflow_run where id = any(:ids::bigint[]) order by id for no key update;

-- name: apply(e_runs, e_steps, e_items, e_undos, e_states, e_outputs, e_errors, e_numbers, o_runs, o_steps, o_items, o_undos, o_states, o_jobs, o_inputs, o_signals, o_dues, o_lefts, o_outputs, o_errors, o_numbers, runs, opened, ended, bytes, at)
-- Ends, what they open and the runs' counters: one statement for a batch. This transaction holds the runs and the steps that end, so
-- their places are sure (why laterals: see claims.sql). Outputs come as text: in an array of jsonb, a list is another dimension.
-- The moment is that of the transaction: it is part of the key that a step which begins here is called with.
with over as (
  update pabal.workflow_step s set state = e.state, output = e.output::jsonb, error = e.error, ended_at = :at::timestamptz, ended_no = e.number, job = null
  from (
    select s.place, e.* from unnest(:e_runs::bigint[], :e_steps::smallint[], :e_items::int[], :e_undos::boolean[], :e_states::text[],
      :e_outputs::text[], :e_errors::jsonb[], :e_numbers::int[]) as e(run_id, step, item, undo, state, output, error, number)
    cross join lateral (
      select s.ctid as place from pabal.workflow_step s
      where s.run_id = e.run_id and s.step = e.step and s.item = e.item and s.undo = e.undo offset 0) s) e
  where s.ctid = e.place),
fresh as (
  insert into pabal.workflow_step (run_id, step, item, undo, state, job, attempt, input, signal, due_at, open_items, output, error, ended_no,
    opened_at, started_at, ended_at)
  select o.run_id, o.step, o.item, o.undo, o.state, o.job, case when o.state = 'running' and o.job is not null then 1 else 0 end, o.input, o.signal, o.due_at,
    o.items, o.output::jsonb, o.error, o.number, :at::timestamptz, case when o.state <> 'ready' then :at::timestamptz end,
    case when o.number is not null then :at::timestamptz end
  from unnest(:o_runs::bigint[], :o_steps::smallint[], :o_items::int[], :o_undos::boolean[], :o_states::text[], :o_jobs::bigint[],
    :o_inputs::jsonb[], :o_signals::text[], :o_dues::timestamptz[], :o_lefts::int[], :o_outputs::text[], :o_errors::jsonb[], :o_numbers::int[])
    as o(run_id, step, item, undo, state, job, input, signal, due_at, items, output, error, number)),
counted as (
  update pabal.workflow_run r set opened = c.opened, ended = c.ended, bytes = c.bytes
  from (
    select r.place, c.* from unnest(:runs::bigint[], :opened::int[], :ended::int[], :bytes::bigint[]) as c(id, opened, ended, bytes)
    cross join lateral (select r.ctid as place from pabal.workflow_run r where r.id = c.id offset 0) r) c
  where r.ctid = c.place)
select 1;

-- name: close_items(runs, steps, counts)
update pabal.workflow_step s set open_items = s.open_items - g.count
from (
  select s.place, g.count from unnest(:runs::bigint[], :steps::smallint[], :counts::int[]) as g(run_id, step, count) cross join lateral (
    select s.ctid as place from pabal.workflow_step s where s.run_id = g.run_id and s.step = g.step and s.item = -1 and not s.undo offset 0) s) g
where s.ctid = g.place
returning s.run_id, s.step, s.open_items;

-- name: gather(runs, steps)
select g.run_id, g.step, (
  select jsonb_agg(s.output order by s.item) from pabal.workflow_step s
  where s.run_id = g.run_id and s.step = g.step and s.item >= 0 and not s.undo) as output
from unnest(:runs::bigint[], :steps::smallint[]) as g(run_id, step);

-- name: list_over(runs)
select run_id, step from pabal.workflow_step
where run_id = any(:runs::bigint[]) and item = -1 and not undo and state in ('done', 'skipped');

-- name: load_inputs(ids)
select id, input from pabal.workflow_run where id = any(:ids::bigint[]);

-- name: load_outputs(runs, steps)
select g.run_id, g.step, s.output from unnest(:runs::bigint[], :steps::smallint[]) as g(run_id, step) cross join lateral (
  select s.output from pabal.workflow_step s where s.run_id = g.run_id and s.step = g.step and s.item = -1 and not s.undo offset 0) s;

-- name: wait_step(run_id, step, item, undo, signal, job, due_at)!
update pabal.workflow_step set state = 'waiting', signal = :signal, job = :job, due_at = coalesce(:due_at, due_at)
where run_id = :run_id and step = :step and item = :item and undo = :undo;

-- name: insert_waits(signals, runs, steps, items, undos)!
insert into pabal.workflow_wait (signal, run_id, step, item, undo)
select * from unnest(:signals::text[], :runs::bigint[], :steps::smallint[], :items::int[], :undos::boolean[]);

-- name: take_kept(run)
-- the oldest of each name, if the run waits for it now
delete from pabal.workflow_signal where id in (
  select min(k.id) from pabal.workflow_signal k join pabal.workflow_wait w on w.run_id = k.run_id and w.signal = k.signal
  where k.run_id = :run group by k.signal)
returning signal, data;

-- name: retry_step(run_id, step, item, undo, job, error)!
update pabal.workflow_step set state = 'retrying', failures = failures + 1, job = :job, error = :error
where run_id = :run_id and step = :step and item = :item and undo = :undo;

-- name: find_undoable(run, steps, fans)
-- the last that was done and is not undone; of a fan-out its items, not the list of them
select s.step, s.item, s.output from pabal.workflow_step s
where s.run_id = :run and not s.undo and s.state = 'done' and s.step = any(:steps::smallint[])
  and (s.item >= 0) = (s.step = any(:fans::smallint[]))
  and not exists (
    select from pabal.workflow_step u where u.run_id = s.run_id and u.step = s.step and u.item = s.item and u.undo)
order by s.ended_no desc limit 1;

-- name: take_unreleased(run)
-- stopped while it waited for a signal that its kind asked for
update pabal.workflow_step set signal = null where run_id = :run and state = 'cancelled' and signal is not null
returning step, item, undo, input, opened_at;

-- name: mark_ending(id, ending, compensates, reason)!
update pabal.workflow_run set ending = :ending, compensates = :compensates, reason = :reason where id = :id;

-- name: end_runs(ids, outputs)!
with forgotten as (delete from pabal.workflow_signal where run_id = any(:ids::bigint[]))
update pabal.workflow_run r set ended_at = pabal.now(), output = g.output
from (
  select r.place, g.output from unnest(:ids::bigint[], :outputs::jsonb[]) as g(id, output)
  cross join lateral (select r.ctid as place from pabal.workflow_run r where r.id = g.id offset 0) r) g
where r.ctid = g.place;

-- name: insert_note(run_id, step, item, undo, what, actor, data)!
insert into pabal.workflow_note (run_id, step, item, undo, what, actor, data, at)
values (:run_id, :step, :item, :undo, :what, :actor, :data, pabal.now());

-- name: insert_run(unit_id, workflow_id, definition_id, state, owner, input, parent_id, depth, again_of, cause, limit)
insert into pabal.workflow_run (unit_id, workflow_id, definition_id, state, owner, input, parent_id, depth, again_of, cause, started_at, ends_by)
values (:unit_id, :workflow_id, :definition_id, :state, :owner, :input, :parent_id, :depth::smallint, :again_of, :cause, pabal.now(), pabal.now() + :limit::interval)
returning id;
