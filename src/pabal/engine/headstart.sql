-- name: insert_begun(worker, kind, queue, priority, unit, about, cause, args, failures, recoveries, deadline, records)
-- A job and its lease, as queue.sql and claims.sql have them; nothing where this life is over, drains, or is being buried. Nobody is
-- waited for: whoever asks may hold locks that a rescue wants. `asker_own` is what the asker writes with it, where `body` is a job.
with me as materialized (
  select id from pabal.worker where id = :worker and until > pabal.real_now() and drain_at is null for key share skip locked),
body as (
  insert into pabal.work (id, unit_id, kind, queue, priority, about, args, max_failures, max_recoveries, deadline, cause, records_end, created_at)
  select pabal.new_id(), :unit::bigint, :kind, :queue, :priority::smallint, :about, :args, :failures::smallint, :recoveries::smallint,
    :deadline::interval, :cause, :records::boolean, pabal.now() from me
  returning id, queue, deadline),
taken as (
  insert into pabal.lease (id, token, worker, queue, failures, recoveries, snoozes, started_at, deadline)
  select id, 1, :worker, queue, 0, 0, 0, pabal.now(), pabal.now() + deadline + interval '1 second' from body)
asker_own
select id from body;
