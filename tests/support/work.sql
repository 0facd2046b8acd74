-- name: lapse(worker, connections)!
-- `connections` names those of the process it stands for; the test's own must not be ended with it
update pabal.worker set until = pabal.real_now() - interval '1 hour', meta = meta || jsonb_build_object('connections', :connections::text)
where id = :worker;

-- name: name_connections(worker, connections)!
update pabal.worker set meta = jsonb_build_object('connections', :connections::text) where id = :worker;

-- name: count_waiting()
select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock';

-- name: lock_lane(lane)
select holders from pabal.lane where lane = :lane for update;

-- name: lock_lease(id)
select token from pabal.lease where id = :id for update;

-- name: lock_ready(id)
select token from pabal.ready where id = :id for update;

-- name: find_holder(lane)
select holders[1] from pabal.lane where lane = :lane;

-- name: list_lane_holders(lane)
select holders from pabal.lane where lane = :lane;

-- name: list_stale()
select id, token, worker, result from pabal.stale order by seq;

-- name: list_leases()
select id, token, worker from pabal.lease order by id;

-- name: find_time_to_run(id)
select deadline - started_at from pabal.lease where id = :id;

-- name: list_ready()
select id, ready_at from pabal.ready order by id;

-- name: list_told(about)
select args->>'reason' as reason from pabal.work where about = :about order by id;

-- name: count_work()
select count(*)::int from pabal.work;

-- name: list_starts(key)
select at, weight from pabal.started where limit_key = :key order by at;

-- name: occupy_lease(id)!
-- stands in the way of whoever wants to lease this job, until it rolls back
insert into pabal.lease (id, token, worker, queue, failures, recoveries, snoozes, started_at)
values (:id, 0, 0, 'nobody', 0, 0, 0, pabal.now());

-- name: gate_liveness#
-- whoever asks for the real time waits while somebody holds the advisory lock 7: a pause between a snapshot and its use
create or replace function pabal.real_now() returns timestamptz language plpgsql volatile as $$
begin
  perform pg_advisory_lock_shared(7);
  perform pg_advisory_unlock_shared(7);
  return clock_timestamp();
end $$;

-- name: close_gate()
select pg_advisory_xact_lock(7);

-- name: forget_job(id)!
-- what dropping the job's week does
with gone as (delete from pabal.outcome where id = :id) delete from pabal.work where id = :id;

-- name: fill_places(rows)!
-- a third ready, the rest delayed, waiting and leased; no life and no lane, so for plans only
with body as (
  insert into pabal.work (id, kind, queue, priority, lane, args, max_failures, max_recoveries, created_at)
  select n, 'test.plain', 'test.plain', 2, case when n % 4 = 2 then 'l' || n % 100 end, '{}', 5, 3, pabal.now() from generate_series(1, :rows::int) n
  returning id),
ready as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select 'test.plain', 2, pabal.now() + id * interval '1 ms', id, 0, 0, 0, 0 from body where id % 4 = 0),
delayed as (
  insert into pabal.delayed (due_at, id, reason, token, failures, recoveries, snoozes)
  select pabal.now() + id * interval '1 s', id, 'asked', 0, 0, 0, 0 from body where id % 4 = 1),
waiting as (
  insert into pabal.waiting (lane, id, token, failures, recoveries, snoozes) select 'l' || id % 100, id, 0, 0, 0, 0 from body where id % 4 = 2)
insert into pabal.lease (id, token, worker, queue, failures, recoveries, snoozes, started_at)
select id, 1, id % 10, 'test.plain', 0, 0, 0, pabal.now() from body where id % 4 = 3;

-- name: scan_ready()
select count(*) from pabal.ready where failures > 3;

-- name: empty#
truncate pabal.work, pabal.ready, pabal.delayed, pabal.waiting, pabal.lane, pabal.lease, pabal.outcome, pabal.stale, pabal.expiry, pabal.dedupe,
  pabal.worker, pabal.route, pabal.fact, pabal.report, pabal.withdrawal, pabal.lane_width;

-- name: list_state(kinds)
select w.id, case when l.id is not null then 'lease' when r.id is not null then 'ready' when d.id is not null then 'delayed'
                  when b.id is not null then 'waiting' else 'ended' end as place,
  coalesce(l.token, r.token, d.token, b.token) as token, coalesce(l.failures, r.failures, d.failures, b.failures) as failures,
  coalesce(l.recoveries, r.recoveries, d.recoveries, b.recoveries) as recoveries, coalesce(l.snoozes, r.snoozes, d.snoozes, b.snoozes) as snoozes,
  l.worker, l.cancel_at is not null as is_cancelled, d.due_at,
  array(select o.token || ' ' || o.result || ' ' || o.final from pabal.outcome o where o.id = w.id order by o.token) as ends,
  (select count(*) from pabal.work t where t.about = 'job:' || w.id)::int as told
from pabal.work w left join pabal.lease l using (id) left join pabal.ready r using (id) left join pabal.delayed d using (id)
left join pabal.waiting b using (id) where w.kind = any(:kinds::text[]) order by w.id;

-- name: list_holders()
select lane, holders from pabal.lane order by lane;

-- name: list_keys()
select scope, key, work_id from pabal.dedupe order by scope, key;

-- name: analyze#
-- what autovacuum does on a quiet server
analyze pabal.work, pabal.ready, pabal.delayed, pabal.waiting, pabal.lane, pabal.lane_width, pabal.lease, pabal.outcome, pabal.dedupe, pabal.occurrence;

-- name: list_reports()
select id, token, progress, checkpoint from pabal.report order by id;
