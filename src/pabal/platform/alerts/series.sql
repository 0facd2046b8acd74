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
