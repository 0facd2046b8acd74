-- name: open_lanes(lanes)!
-- In order, and in a statement of its own: advance must see lanes that others held while this waited.
insert into pabal.lane (lane, holder) select lane, 0 from unnest(:lanes::text[]) as g(lane) order by lane on conflict do nothing;

-- name: free_lanes(lanes, holders)!
-- An update, not a mere lock: an enqueue that commits meanwhile waits for it in open_lanes instead of overlooking it.
with held as (
  select l.lane from pabal.lane l join unnest(:lanes::text[], :holders::bigint[]) as g(lane, holder) on l.lane = g.lane and l.holder = g.holder
  order by l.lane for update of l)
update pabal.lane l set holder = 0 from held where l.lane = held.lane;

-- name: advance_lanes(lanes)
-- The smallest waiting id of each free lane becomes its holder and ready; lanes with nobody waiting are closed.
with free as materialized (
  select lane from pabal.lane where lane = any(:lanes::text[]) and holder = 0 order by lane for update),
head as materialized (
  select w.* from free f cross join lateral (
    select * from pabal.waiting w where w.lane = f.lane order by w.id limit 1 for update skip locked) w),
moved as (delete from pabal.waiting w using head h where w.lane = h.lane and w.id = h.id),
held as (update pabal.lane l set holder = h.id from head h where l.lane = h.lane),
closed as (delete from pabal.lane l using free f where l.lane = f.lane and not exists (select from head h where h.lane = f.lane))
insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
select b.queue, b.priority, pabal.now(), h.id, h.token, h.failures, h.recoveries, h.snoozes from head h join pabal.work b on b.id = h.id
returning queue;

-- name: list_unheld_lanes(after, slice)
-- A loose index scan: the distinct lanes with somebody waiting, a slice at a time, of which nobody holds.
with recursive next as (
  (select lane from pabal.waiting where lane > :after order by lane limit 1)
  union all
  select (select w.lane from pabal.waiting w where w.lane > next.lane order by w.lane limit 1) from next where next.lane is not null),
slice as materialized (select lane from next where lane is not null limit :slice)
select s.lane, not exists (select from pabal.lane l where l.lane = s.lane and l.holder <> 0) as unheld from slice s order by s.lane;
