-- name: find_active(units, kind, about, q, next_at, after_id, most)
-- soonest first
select s.id, s.next_at from pabal.schedule s
where s.paused_at is null and s.next_at is not null and (s.next_at, s.id) > (:next_at::timestamptz, :after_id::bigint)
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) and (:kind::text is null or s.kind = :kind)
  and (:about::text is null or s.about = :about) and (:q::text is null or s.name ilike :q)
order by s.next_at, s.id limit :most;

-- name: find_soonest(units, next_at, after_id, look, most)
-- of many units the first are mostly among the first of all
select s.id, s.next_at from (
  select s.id, s.next_at, s.unit_id from pabal.schedule s
  where s.paused_at is null and s.next_at is not null and (s.next_at, s.id) > (:next_at::timestamptz, :after_id::bigint)
  order by s.next_at, s.id limit :look) s
where s.unit_id = any(:units::bigint[]) order by s.next_at, s.id limit :most;

-- name: find_active_of_units(units, next_at, after_id, most)
-- The first of each unit, then of all: quick whether units are rare or common, few or hundreds. Written as a range and in the order
-- of its own index, so that no plan walks another one for what is rare.
select s.id, s.next_at from unnest(:units::bigint[]) as u(id) cross join lateral (
  select s.id, s.next_at from pabal.schedule s
  where (s.unit_id + 0, s.next_at, s.id) > (u.id, :next_at::timestamptz, :after_id::bigint) and s.unit_id + 0 <= u.id
    and s.unit_id is not null and s.paused_at is null and s.next_at is not null
  order by s.unit_id + 0, s.next_at, s.id limit :most) s
order by s.next_at, s.id limit :most;

-- name: find_paused(units, kind, about, q, broken, after_id, most)
-- by somebody, or by the engine because they are broken
select s.id from pabal.schedule s
where s.paused_at is not null and s.id > :after_id and (:broken::boolean is null or (s.problem is not null) = :broken::boolean)
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) and (:kind::text is null or s.kind = :kind)
  and (:about::text is null or s.about = :about) and (:q::text is null or s.name ilike :q)
order by s.id limit :most;

-- name: find_over(units, kind, about, q, after_id, most)
select s.id from pabal.schedule s
where s.paused_at is null and s.next_at is null and s.id > :after_id
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) and (:kind::text is null or s.kind = :kind)
  and (:about::text is null or s.about = :about) and (:q::text is null or s.name ilike :q)
order by s.id limit :most;

-- name: find_paused_of_units(units, broken, after_id, most)
select s.id from unnest(:units::bigint[]) as u(id) cross join lateral (
  select s.id from pabal.schedule s
  where (s.unit_id, s.id) > (u.id, :after_id::bigint) and s.unit_id <= u.id and s.paused_at is not null
    and (:broken::boolean is null or (s.problem is not null) = :broken::boolean)
  order by s.unit_id, s.id limit :most) s
order by s.id limit :most;

-- name: find_over_of_units(units, after_id, most)
select s.id from unnest(:units::bigint[]) as u(id) cross join lateral (
  select s.id from pabal.schedule s
  where (s.unit_id, s.id) > (u.id, :after_id::bigint) and s.unit_id <= u.id and s.paused_at is null and s.next_at is null
  order by s.unit_id, s.id limit :most) s
order by s.id limit :most;

-- name: find_schedules(units, kind, about, q, active, paused, broken, over, after_id, most)
-- in the order they were made
select s.id from pabal.schedule s
where s.id > :after_id
  and ((:active::boolean and s.paused_at is null and s.next_at is not null) or (:paused::boolean and s.paused_at is not null and s.problem is null)
    or (:broken::boolean and s.problem is not null) or (:over::boolean and s.paused_at is null and s.next_at is null))
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) and (:kind::text is null or s.kind = :kind)
  and (:about::text is null or s.about = :about) and (:q::text is null or s.name ilike :q)
order by s.id limit :most;

-- name: show_schedules(ids)
-- with the last twenty of its ledger: the newest first
select s.id, s.unit_id, s.name, s.kind, s.about, s.route, s.label, s.lane, s.recurrence, s.zone, s.valid_from, s.valid_until,
  s.deadline, s.max_failures::int, s.misfire, s.overlap,
  s.dst_gap, s.dst_fold, s.next_at, s.paused_at, s.paused_by, s.problem, s.created_at,
  case when s.problem is not null then 'broken' when s.paused_at is not null then 'paused' when s.next_at is null then 'over' else 'active' end as state,
  l.last_at, coalesce(l.recent, '{}') as recent, l.last_reason
from unnest(:ids::bigint[]) with ordinality as g(id, n) join pabal.schedule s on s.id = g.id
left join lateral (
  select (array_agg(o.fire_at order by o.fire_at desc))[1] as last_at,
    array_agg(coalesce(o."end", o.decision) order by o.fire_at desc) as recent,
    (array_agg(o.reason order by o.fire_at desc))[1] as last_reason
  from (select o.fire_at, o."end", o.decision, o.reason from pabal.occurrence o
        where o.schedule_id = s.id and o.fire_at <= pabal.now() order by o.fire_at desc limit 20) o) l on true
order by g.n;

-- name: find_next_moments()
select (select due_at from pabal.delayed order by due_at limit 1) as delayed_at,
  (select next_at from pabal.schedule where paused_at is null and next_at is not null order by next_at, id limit 1) as schedule_at,
  (select min(due_at) from pabal.timer where due_at < 'infinity') as timer_at;

-- name: find_next_moments_without(area, machines)
-- without what an area does all the time, and its machines
select (select d.due_at from pabal.delayed d join pabal.work w on w.id = d.id where not starts_with(w.kind, :area)
    order by d.due_at limit 1) as delayed_at,
  (select next_at from pabal.schedule where paused_at is null and next_at is not null and not starts_with(kind, :area)
    order by next_at, id limit 1) as schedule_at,
  (select min(due_at) from pabal.timer where due_at < 'infinity' and machine <> all(:machines::text[])) as timer_at;

-- name: list_delayed_until(units, veiled, until, most)
select d.due_at as at, d.id, w.kind, w.about, d.reason, w.unit_id from pabal.delayed d join pabal.work w on w.id = d.id
where d.due_at <= :until::timestamptz and (:units::bigint[] is null or w.unit_id = any(:units::bigint[]))
  and w.kind not like all(:veiled::text[])
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
