-- name: open_lanes(lanes)!
-- In order, and in a statement of its own: advance must see lanes that others held while this waited.
insert into pabal.lane (lane, holder) select lane, 0 from unnest(:lanes::text[]) as g(lane) order by lane on conflict do nothing;

-- name: free_lanes(lanes, holders)!
-- An update, not a mere lock: an enqueue that commits meanwhile waits for it in open_lanes instead of overlooking it.
with held as materialized (
  select l.lane from unnest(:lanes::text[], :holders::bigint[]) as g(lane, holder) cross join lateral (
    select l.lane from pabal.lane l where l.lane = g.lane and l.holder = g.holder offset 0 for update) l)
update pabal.lane set holder = 0 where lane = any(array(select lane from held));

-- name: advance_lanes(lanes)
-- The smallest waiting id of each free lane becomes its holder and ready; lanes with nobody waiting are closed.
with free as materialized (
  select ctid as place, lane from pabal.lane where lane = any(:lanes::text[]) and holder = 0 order by lane for update),
turn as materialized (
  select f.lane, f.place, w.id, w.waits_at, w.token, w.failures, w.recoveries, w.snoozes from free f left join lateral (
    select w.ctid as waits_at, w.* from pabal.waiting w where w.lane = f.lane and (w.lane, w.id) > (f.lane, 0) order by w.id limit 1 for update skip locked) w on true),
moved as (delete from pabal.waiting where ctid = any(array(select waits_at from turn where id is not null))),
held as (update pabal.lane l set holder = t.id from turn t where l.ctid = t.place and t.id is not null),
closed as (delete from pabal.lane where lane = any(array(select lane from turn where id is null)))
insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
select b.queue, b.priority, pabal.now(), t.id, t.token, t.failures, t.recoveries, t.snoozes
from turn t cross join lateral (select * from pabal.work b where b.id = t.id offset 0) b
returning queue;

-- name: list_unheld_lanes(after, slice)
-- A loose index scan: the distinct lanes with somebody waiting, a slice at a time, of which nobody holds.
with recursive next as (
  (select lane from pabal.waiting where lane > :after order by lane limit 1)
  union all
  select (select w.lane from pabal.waiting w where w.lane > next.lane order by w.lane limit 1) from next where next.lane is not null),
slice as materialized (select lane from next where lane is not null limit :slice)
select s.lane, not exists (select from pabal.lane l where l.lane = s.lane and l.holder <> 0) as unheld from slice s order by s.lane;
