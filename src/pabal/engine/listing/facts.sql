-- name: find_facts(units, veiled, names, subject, since, until, above, before, most)
select f.seq from pabal.fact f
where f.seq > :above and f.seq < :before
  and (:units::bigint[] is null or f.unit_id = any(:units::bigint[])) and f.name not like all(:veiled::text[])
  and (:names::text[] is null or f.name = any(:names::text[])) and (:subject::text is null or f.subject = :subject)
  and (:since::timestamptz is null or f.at >= :since) and (:until::timestamptz is null or f.at < :until)
order by f.seq desc limit :most;

-- name: find_recent(units, veiled, since, until, above, before, look, most)
-- of many units the newest are mostly among the newest of all
select f.seq from (
  select f.seq, f.unit_id, f.at, f.name from pabal.fact f where f.seq > :above and f.seq < :before order by f.seq desc limit :look) f
where f.unit_id = any(:units::bigint[]) and f.name not like all(:veiled::text[]) and (:since::timestamptz is null or f.at >= :since) and (:until::timestamptz is null or f.at < :until)
order by f.seq desc limit :most;

-- name: find_of_units(units, veiled, since, until, above, before, most)
-- The newest of each, then of all: quick whether they are rare or common, few or hundreds. Written as a range and in the order
-- of its own index, so that no plan walks another one for what is rare.
select f.seq from unnest(:units::bigint[]) as u(id) cross join lateral (
  select f.seq from pabal.fact f where (f.unit_id, f.seq) < (u.id, :before::bigint) and f.unit_id >= u.id and f.seq > :above and f.name not like all(:veiled::text[])
    and (:since::timestamptz is null or f.at >= :since) and (:until::timestamptz is null or f.at < :until)
  order by f.unit_id desc, f.seq desc limit :most) f
order by f.seq desc limit :most;

-- name: find_named(names, veiled, since, until, above, before, most)
select f.seq from unnest(:names::text[]) as g(name) cross join lateral (
  select f.seq from pabal.fact f where (f.name, f.seq) < (g.name, :before::bigint) and f.name >= g.name and f.seq > :above
    and g.name not like all(:veiled::text[])
    and (:since::timestamptz is null or f.at >= :since) and (:until::timestamptz is null or f.at < :until)
  order by f.name desc, f.seq desc limit :most) f
order by f.seq desc limit :most;

-- name: find_bounds(since, until)
-- Where a range of time lies in the order of seq. A transaction takes its moment before its numbers, by less than an hour.
select
  (select f.seq from pabal.fact f where f.at < :since::timestamptz - interval '1 hour' order by f.at desc, f.seq desc limit 1) as above,
  (select f.seq from pabal.fact f where f.at >= :until::timestamptz + interval '1 hour' order by f.at, f.seq limit 1) as before;

-- name: list_names(patterns)
-- a loose index scan: there are few names however many facts
with recursive each as (
  (select name from pabal.fact order by name limit 1)
  union all
  select (select f.name from pabal.fact f where f.name > e.name order by f.name limit 1) from each e where e.name is not null)
select name from each where name like any(:patterns::text[]) order by name limit 1000;

-- name: show_facts(seqs)
select f.seq, f.id, f.name, f.subject, f.unit_id, f.at, f.data from pabal.fact f where f.seq = any(:seqs::bigint[]) order by f.seq desc;

-- name: list_aside(units, veiled, subscription, seq, after, most)
-- what a subscriber could not take; the fact itself may be past its retention
select a.subscription, a.seq, f.name, f.subject, f.unit_id, a.error, a.at
from pabal.fact_aside a left join lateral (select f.name, f.subject, f.unit_id from pabal.fact f where f.seq = a.seq) f on true
where (a.subscription, a.seq) > (:after::text, :seq::bigint) and (:subscription::text is null or a.subscription = :subscription)
  and (:units::bigint[] is null or f.unit_id = any(:units::bigint[])) and coalesce(f.name, '') not like all(:veiled::text[])
order by a.subscription, a.seq limit :most;
