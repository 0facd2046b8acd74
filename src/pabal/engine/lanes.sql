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
turn as materialized (
  select f.lane, w.id, w.token, w.failures, w.recoveries, w.snoozes from free f left join lateral (
    select * from pabal.waiting w where w.lane = f.lane order by w.id limit 1 for update skip locked) w on true),
moved as (delete from pabal.waiting w using turn t where w.lane = t.lane and w.id = t.id),
held as (update pabal.lane l set holder = t.id from turn t where l.lane = t.lane and t.id is not null),
closed as (delete from pabal.lane l using turn t where l.lane = t.lane and t.id is null)
insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
select b.queue, b.priority, pabal.now(), t.id, t.token, t.failures, t.recoveries, t.snoozes from turn t join pabal.work b on b.id = t.id
returning queue;

-- name: list_unheld_lanes(after, slice)
-- A loose index scan: the distinct lanes with somebody waiting, a slice at a time, of which nobody holds.
with recursive next as (
  (select lane from pabal.waiting where lane > :after order by lane limit 1)
  union all
  select (select w.lane from pabal.waiting w where w.lane > next.lane order by w.lane limit 1) from next where next.lane is not null),
slice as materialized (select lane from next where lane is not null limit :slice)
select s.lane, not exists (select from pabal.lane l where l.lane = s.lane and l.holder <> 0) as unheld from slice s order by s.lane;
