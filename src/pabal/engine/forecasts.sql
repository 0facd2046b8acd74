-- name: list_next(units, until, limit_rows)
-- each has at least one moment, so that the first n schedules hold the first n moments
select id from pabal.schedule
where paused_at is null and next_at is not null and (:until::timestamptz is null or next_at <= :until)
  and (:units::bigint[] is null or unit_id = any(:units))
order by next_at, id limit :limit_rows;
