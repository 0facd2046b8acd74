-- name: read_identity()
-- the same server since the same start, and the same database in it: a copy or a replica answers otherwise
select pg_postmaster_start_time() as started_at, oid from pg_database where datname = current_database();
