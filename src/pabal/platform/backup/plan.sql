-- name: lock_plan()
-- servers that start together make one schedule, not two
select pg_advisory_xact_lock(482952634734);
