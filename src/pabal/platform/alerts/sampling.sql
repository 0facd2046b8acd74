-- name: lock_round(place)
select pg_try_advisory_xact_lock(hashtextextended('pabal.sampling ' || :place::text, 0));

-- name: take_round(place, now, every, gap)
insert into pabal.sampling as s (place, at, since) values (:place, :now, :now)
on conflict (place) do update
set at = excluded.at, since = case when excluded.at - s.at > :gap::interval then excluded.at else s.since end
where s.at <= excluded.at - :every::interval
returning at;

-- name: hurry()
-- a measure that has become slow fails alone and does not hold up the others
select set_config('statement_timeout', '5s', true);

-- name: insert_samples(measures, abouts, units, values, at)!
with seen as (
  insert into pabal.series as s (measure, about, unit_id, last_at, last_value)
  select g.measure, g.about, g.unit_id, :at::timestamptz, g.value
  from unnest(:measures::text[], :abouts::text[], :units::bigint[], :values::float8[]) as g(measure, about, unit_id, value)
  on conflict (measure, about) do update
  set unit_id = excluded.unit_id, last_at = excluded.last_at, last_value = excluded.last_value
  returning s.id, s.last_value)
insert into pabal.sample (series, at, value) select id, :at::timestamptz, last_value from seen on conflict do nothing;

-- name: forget_samples(before, batch)!
-- series by series along the key
delete from pabal.sample where ctid = any(array(
  select o.place from pabal.series s cross join lateral (
    select m.ctid as place from pabal.sample m where m.series = s.id and m.at < :before::timestamptz order by m.at limit :batch) o
  limit :batch));

-- name: forget_series(before)!
delete from pabal.series s where s.last_at < :before::timestamptz and not exists (select from pabal.sample m where m.series = s.id);

-- name: forget_rounds(before)!
delete from pabal.sampling where at < :before::timestamptz;

-- name: list_series(units, measure)
select measure, about, unit_id, last_at, last_value from pabal.series
where (:units::bigint[] is null or unit_id = any(:units::bigint[])) and (:measure::text is null or measure = :measure)
order by measure, about;

-- name: read_series(units, measure, about, since, until, step)
-- one range of the key, which covers the value
select date_bin(:step::interval, m.at, :since::timestamptz) as at, min(m.value) as low, avg(m.value) as mean, max(m.value) as high
from pabal.series s cross join lateral (
  select m.at, m.value from pabal.sample m where m.series = s.id and m.at >= :since::timestamptz and m.at < :until::timestamptz offset 0) m
where s.measure = :measure and s.about = :about and (:units::bigint[] is null or s.unit_id = any(:units::bigint[]))
group by 1 order by 1;
