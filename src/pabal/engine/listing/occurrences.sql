-- name: find_occurrences(units, schedule_id, kind, states, since, until, fire_at, after_id, most)
select o.schedule_id, o.fire_at from pabal.occurrence o
where (o.fire_at, o.schedule_id) < (:fire_at::timestamptz, :after_id::bigint)
  and (:units::bigint[] is null or o.unit_id = any(:units::bigint[]))
  and (:schedule_id::bigint is null or o.schedule_id = :schedule_id)
  and (:states::text[] is null or coalesce(o."end", o.decision) = any(:states::text[]))
  and (:since::timestamptz is null or o.fire_at >= :since) and (:until::timestamptz is null or o.fire_at < :until)
  and (:kind::text is null or o.schedule_id in (select s.id from pabal.schedule s where s.kind = :kind))
order by o.fire_at desc, o.schedule_id desc limit :most;

-- name: find_in_states(states, units, since, until, fire_at, after_id, most)
-- The newest of each, then of all: quick whether they are rare or common, few or hundreds. Written as a range and in the order
-- of its own index, so that no plan walks another one for what is rare.
select o.schedule_id, o.fire_at from unnest(:states::text[]) as g(state) cross join lateral (
  select o.schedule_id, o.fire_at from pabal.occurrence o
  where (coalesce(o."end", o.decision), o.fire_at, o.schedule_id) < (g.state, :fire_at::timestamptz, :after_id::bigint)
    and coalesce(o."end", o.decision) >= g.state and coalesce(o."end", o.decision) not in ('done', 'enqueued')
    and (:units::bigint[] is null or o.unit_id = any(:units::bigint[]))
    and (:since::timestamptz is null or o.fire_at >= :since) and (:until::timestamptz is null or o.fire_at < :until)
  order by coalesce(o."end", o.decision) desc, o.fire_at desc, o.schedule_id desc limit :most) o
order by o.fire_at desc, o.schedule_id desc limit :most;

-- name: find_open(units, since, until, fire_at, after_id, most)
-- few are, and they have an index of their own; materialized, or a plan walks the whole ledger for them
with open as materialized (
  select o.schedule_id, o.fire_at, o.unit_id from pabal.occurrence o where o."end" is null and o.work_id is not null)
select o.schedule_id, o.fire_at from open o
where (o.fire_at, o.schedule_id) < (:fire_at::timestamptz, :after_id::bigint)
  and (:units::bigint[] is null or o.unit_id = any(:units::bigint[]))
  and (:since::timestamptz is null or o.fire_at >= :since) and (:until::timestamptz is null or o.fire_at < :until)
order by o.fire_at desc, o.schedule_id desc limit :most;

-- name: find_recent(units, only_done, since, until, fire_at, after_id, look, most)
-- of many units the newest are mostly among the newest of all
select o.schedule_id, o.fire_at from (
  select o.schedule_id, o.fire_at, o.unit_id, o."end" from pabal.occurrence o
  where (o.fire_at, o.schedule_id) < (:fire_at::timestamptz, :after_id::bigint)
    and (:since::timestamptz is null or o.fire_at >= :since) and (:until::timestamptz is null or o.fire_at < :until)
  order by o.fire_at desc, o.schedule_id desc limit :look) o
where o.unit_id = any(:units::bigint[]) and (not :only_done::boolean or o."end" = 'done')
order by o.fire_at desc, o.schedule_id desc limit :most;

-- name: find_of_units(units, only_done, since, until, fire_at, after_id, most)
select o.schedule_id, o.fire_at from unnest(:units::bigint[]) as u(id) cross join lateral (
  select o.schedule_id, o.fire_at from pabal.occurrence o
  where (o.unit_id, o.fire_at, o.schedule_id) < (u.id, :fire_at::timestamptz, :after_id::bigint) and o.unit_id >= u.id
    and (not :only_done::boolean or o."end" = 'done')
    and (:since::timestamptz is null or o.fire_at >= :since) and (:until::timestamptz is null or o.fire_at < :until)
  order by o.unit_id desc, o.fire_at desc, o.schedule_id desc limit :most) o
order by o.fire_at desc, o.schedule_id desc limit :most;

-- name: show_occurrences(schedule_ids, fire_ats)
select o.schedule_id, o.fire_at, o.unit_id, s.name, s.kind, s.about, s.zone, coalesce(o."end", o.decision) as state, o.decision, o.work_id, o."end",
  o.reason, o.decided_at, o.ended_at, o.into_at, o.through, o.count, o.actor
from unnest(:schedule_ids::bigint[], :fire_ats::timestamptz[]) with ordinality as g(schedule_id, fire_at, n)
join pabal.occurrence o on o.schedule_id = g.schedule_id and o.fire_at = g.fire_at
left join pabal.schedule s on s.id = o.schedule_id
order by g.n;
