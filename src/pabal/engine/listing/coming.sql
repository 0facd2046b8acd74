-- name: find_next_moments()
select (select due_at from pabal.delayed order by due_at limit 1) as delayed_at,
  (select next_at from pabal.schedule where paused_at is null and next_at is not null order by next_at, id limit 1) as schedule_at,
  (select min(due_at) from pabal.timer where due_at < 'infinity') as timer_at;

-- name: list_delayed_until(units, until, most)
select d.due_at as at, d.id, w.kind, w.about, d.reason, w.unit_id from pabal.delayed d join pabal.work w on w.id = d.id
where d.due_at <= :until::timestamptz and (:units::bigint[] is null or w.unit_id = any(:units::bigint[]))
order by d.due_at, d.id limit :most;

-- name: list_timers_until(units, until, look, most)
-- Each machine's first ones through its own index, then the first of them all. A subject's unit is that of its last transition.
with recursive machine as (
  (select machine as name from pabal.timer order by machine limit 1)
  union all
  select (select t.machine from pabal.timer t where t.machine > m.name order by t.machine limit 1) from machine m where m.name is not null),
soon as materialized (
  select t.* from machine m cross join lateral (
    select t.machine, t.subject, t.event, t.due_at from pabal.timer t
    where t.machine = m.name and t.due_at <= :until::timestamptz order by t.due_at, t.subject limit :look) t
  where m.name is not null)
select t.due_at as at, t.machine, t.subject, t.event, h.unit_id
from soon t left join lateral (
  select h.unit_id from pabal.transition h where h.machine = t.machine and h.subject = t.subject order by h.version desc limit 1) h on true
where :units::bigint[] is null or h.unit_id = any(:units::bigint[])
order by t.due_at, t.machine, t.subject limit :most;
