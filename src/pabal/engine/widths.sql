-- name: lock_widths()
-- One change at a time, and beside no promotion (open_lanes shares this lock): a lane that is just being opened is in no list yet.
select pg_advisory_xact_lock(7271300);

-- name: declare_widths(names, widths)
-- answers those whose width is another than before
with before as materialized (select name, width from pabal.lane_width),
declared as (
  insert into pabal.lane_width (name, declared) select name, width from unnest(:names::text[], :widths::int[]) as g(name, width) order by name
  on conflict (name) do update set declared = excluded.declared where lane_width.declared is distinct from excluded.declared
  returning name, width)
select d.name from declared d left join before b on b.name = d.name where d.width is distinct from b.width order by d.name;

-- name: find_width(name)
select name, declared, chosen, width from pabal.lane_width where name = :name;

-- name: choose_width(name, width)!
insert into pabal.lane_width (name, chosen) values (:name, :width) on conflict (name) do update set chosen = excluded.chosen;

-- name: forget_width(name)!
-- what is declared stands again: for a single lane, that of its name's first part
with gone as (delete from pabal.lane_width where name = :name and declared is null)
update pabal.lane_width set chosen = null where name = :name and declared is not null;

-- name: lock_lanes(name)
-- waits for whoever is handing one on, so that the next statement sees all holders
select lane from pabal.lane where lane = :name or split_part(lane, ':', 1) = :name order by lane for update;

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

-- name: list_waiting_lanes(name, after, slice)
-- a loose index scan, as the sweep's
with recursive next as (
  (select lane from pabal.waiting where lane > :after order by lane limit 1)
  union all
  select (select w.lane from pabal.waiting w where w.lane > next.lane order by w.lane limit 1) from next where next.lane is not null)
select lane from next where lane = :name or split_part(lane, ':', 1) = :name order by lane limit :slice;
