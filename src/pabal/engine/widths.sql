-- name: lock_widths()
-- One change at a time, and beside no promotion (open_lanes shares this lock): a lane that is just being opened is in no list yet.
select pg_advisory_xact_lock(7271300);

-- name: is_declared(names, widths)
select not exists (
  select from unnest(:names::text[], :widths::int[]) as g(name, width)
  where (select v.declared from pabal.lane_width v where v.name = g.name) is distinct from g.width);

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

-- name: list_waiting_lanes(name, after, slice)
-- a loose index scan, as the sweep's
with recursive next as (
  (select lane from pabal.waiting where lane > :after order by lane limit 1)
  union all
  select (select w.lane from pabal.waiting w where w.lane > next.lane order by w.lane limit 1) from next where next.lane is not null)
select lane from next where lane = :name or split_part(lane, ':', 1) = :name order by lane limit :slice;
