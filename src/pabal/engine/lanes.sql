-- name: open_lanes(lanes)!
-- Makes or locks them, in order, and waits for whoever has one locked. In a statement of its own, like free_lanes: advance counts
-- the holders, reads the width and looks for who waits with a snapshot taken after the lock. Widths are changed beside no such
-- transaction (widths.sql): whoever narrows a lane must find it.
insert into pabal.lane (lane) select distinct lane
from (select pg_advisory_xact_lock_shared(7271300)) gate cross join unnest(:lanes::text[]) as g(lane) order by lane
on conflict (lane) do update set lane = excluded.lane where false;

-- name: free_lanes(lanes, holders)
-- Locks the lanes in order, then takes these holders out; answers which lanes they held.
with gone as materialized (
  select g.lane, array_agg(g.holder) as ids from unnest(:lanes::text[], :holders::bigint[]) as g(lane, holder) group by g.lane order by g.lane),
held as materialized (
  select g.lane from gone g cross join lateral (
    select from pabal.lane l where l.lane = g.lane and l.holders && g.ids offset 0 for update) l)
update pabal.lane l set holders = case when cardinality(l.holders) = 1 then '{}' else
  array(select h from unnest(l.holders) as h where h <> all(:holders::bigint[])) end
where l.lane = any(array(select lane from held)) returning l.lane;

-- name: advance_lanes(lanes)
-- Only of lanes this transaction has locked. The first of those that wait become holders and ready, as many as the width has room for;
-- a lane that nobody holds and nobody waits for is closed.
with free as materialized (
  select l.ctid as place, l.lane, l.holders = '{}' as is_free, coalesce(v.width, 1) - cardinality(l.holders) as room
  from pabal.lane l left join lateral (
    -- a lane's own width before that of its name's first part
    select v.width from pabal.lane_width v where v.name = any(array[l.lane, split_part(l.lane, ':', 1)]) order by length(v.name) desc limit 1) v on true
  where l.lane = any(:lanes::text[])),
turn as materialized (
  select f.lane, f.place, f.is_free, w.id, w.waits_at, w.token, w.failures, w.recoveries, w.snoozes from free f left join lateral (
    select w.ctid as waits_at, w.* from pabal.waiting w where w.lane = f.lane and (w.lane, w.rank, w.id) > (f.lane, 0, 0)
    order by w.rank, w.id limit greatest(f.room, 0) for update skip locked) w on true),
moved as (delete from pabal.waiting where ctid = any(array(select waits_at from turn where id is not null))),
held as (
  update pabal.lane l set holders = l.holders || t.ids
  from (select place, array_agg(id) as ids from turn where id is not null group by place) t where l.ctid = t.place),
closed as (delete from pabal.lane where lane = any(array(select lane from turn where id is null and is_free)))
insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
select b.queue, b.priority, pabal.now(), t.id, t.token, t.failures, t.recoveries, t.snoozes
from turn t cross join lateral (select * from pabal.work b where b.id = t.id offset 0) b
returning queue;

-- name: lock_shared(lanes, back)
-- Of these two, in order, if one of `back` is shared: only such a lane can have more holders than it is wide.
select l.lane, l.lane = any(:back::text[]) as is_back from pabal.lane l
where l.lane = any(:lanes::text[] || :back::text[]) and exists (
  select from unnest(:back::text[]) as b(lane) where (select true from pabal.lane_width v where v.name = split_part(b.lane, ':', 1)))
order by l.lane for update;

-- name: take_back(lanes)!
-- Of lanes that this transaction has locked and that have become narrower: what has not begun waits again, the last in line first.
-- What a claim is taking at this moment is left to it.
with over as materialized (
  select l.ctid as place, l.lane, l.holders, cardinality(l.holders) - coalesce(v.width, 1) as excess
  from pabal.lane l left join lateral (
    select v.width from pabal.lane_width v where v.name = any(array[l.lane, split_part(l.lane, ':', 1)]) order by length(v.name) desc limit 1) v on true
  where l.lane = any(:lanes::text[]) and cardinality(l.holders) > coalesce(v.width, 1)),
back as materialized (
  select o.place as held_at, o.lane, r.* from over o cross join lateral (
    select r.ctid as stands_at, r.* from pabal.ready r where r.id = any(o.holders)
    order by r.priority desc, r.id desc limit o.excess for update skip locked) r),
gone as (delete from pabal.ready where ctid = any(array(select stands_at from back))),
behind as (
  insert into pabal.waiting (lane, rank, id, token, failures, recoveries, snoozes)
  select lane, priority, id, token, failures, recoveries, snoozes from back),
kept as (
  update pabal.lane l set holders = array(select h from unnest(l.holders) as h where h <> all(b.ids))
  from (select held_at, array_agg(id) as ids from back group by held_at) b where l.ctid = b.held_at)
select;

-- name: close_lanes(lanes)!
-- opened again when there is room
delete from pabal.lane where lane = any(:lanes::text[]) and holders = '{}';

-- name: list_lanes_with_room(after, slice)
-- A loose index scan: the distinct lanes with somebody waiting, a slice at a time, and which of them have fewer holders than they may.
with recursive next as (
  (select lane from pabal.waiting where lane > :after order by lane limit 1)
  union all
  select (select w.lane from pabal.waiting w where w.lane > next.lane order by w.lane limit 1) from next where next.lane is not null),
slice as materialized (select lane from next where lane is not null limit :slice)
select s.lane, coalesce((select cardinality(l.holders) from pabal.lane l where l.lane = s.lane), 0) < coalesce((
  select v.width from pabal.lane_width v where v.name = any(array[s.lane, split_part(s.lane, ':', 1)]) order by length(v.name) desc limit 1), 1) as has_room
from slice s order by s.lane;
