-- name: count_ready()
select count(*)::float8 from (select from pabal.ready limit 10001) c;

-- name: count_delayed()
select count(*)::float8 from (select from pabal.delayed limit 10001) c;

-- name: count_waiting()
select count(*)::float8 from (select from pabal.waiting limit 10001) c;

-- name: count_running()
select count(*)::float8 from (select from pabal.lease limit 10001) c;

-- name: read_oldest_ready()
-- a loose index scan over the queues; the oldest of each is the first of one of four priorities
with recursive queue as (
  (select queue from pabal.ready order by queue limit 1)
  union all
  select (select r.queue from pabal.ready r where r.queue > q.queue order by r.queue limit 1) from queue q where q.queue is not null)
select coalesce(greatest(extract(epoch from pabal.now() - min(first.ready_at)), 0), 0)::float8
from queue q cross join generate_series(0, 3) as p(priority) cross join lateral (
  select r.ready_at from pabal.ready r where r.queue = q.queue and r.priority = p.priority order by r.ready_at limit 1) first;

-- name: read_longest_run()
-- leases are as many as jobs run at once, and no more
select coalesce(extract(epoch from pabal.now() - min(started_at)), 0)::float8 from pabal.lease;

-- name: read_delay_lag()
select coalesce(extract(epoch from pabal.now() - (select due_at from pabal.delayed where due_at <= pabal.now() order by due_at limit 1)), 0)::float8;

-- name: read_ended(since)
-- By the index on the end, which is exact about blocks only; at most 20,000 attempts of the last minute and 20,000 of the
-- time before. Final is no condition on rows: that would tempt a plan to walk the whole index of final ones.
with last as (select pabal.now() - interval '1 minute' as minute),
ended as (
  (select o.final, o.result from pabal.outcome o where o.ended_at >= (select minute from last) limit 20000)
  union all
  (select o.final, o.result from pabal.outcome o where o.ended_at >= :since::timestamptz and o.ended_at < (select minute from last) limit 20000))
select count(*) filter (where final and result <> 'cancelled')::int as ended,
       count(*) filter (where final and result in ('done', 'partial'))::int as good
from ended;

-- name: read_processing_time(since)
with last as (select pabal.now() - interval '1 minute' as minute),
ended as (
  (select o.started_at, o.ended_at from pabal.outcome o where o.ended_at >= (select minute from last) limit 20000)
  union all
  (select o.started_at, o.ended_at from pabal.outcome o where o.ended_at >= :since::timestamptz and o.ended_at < (select minute from last) limit 20000))
select percentile_cont(0.95) within group (order by extract(epoch from ended_at - started_at)::float8) from ended where started_at is not null;

-- name: read_schedule_lag()
select coalesce(extract(epoch from pabal.now() - (
  select next_at from pabal.schedule where paused_at is null and next_at <= pabal.now() order by next_at, id limit 1)), 0)::float8;

-- name: read_timer_lag()
-- each machine's first one through its own index
with recursive machine as (
  (select machine as name from pabal.timer order by machine limit 1)
  union all
  select (select t.machine from pabal.timer t where t.machine > m.name order by t.machine limit 1) from machine m where m.name is not null)
select coalesce(extract(epoch from pabal.now() - min(t.due_at)), 0)::float8
from machine m cross join lateral (
  select t.due_at from pabal.timer t where t.machine = m.name and t.due_at <= pabal.now() order by t.due_at limit 1) t;

-- name: count_aside()
select count(*)::float8 from (select from pabal.fact_aside limit 10001) c;

-- name: read_fact_lag()
-- the first fact after what each subscriber has seen in full
select coalesce(max(extract(epoch from pabal.now() - f.at)), 0)::float8
from pabal.subscription s cross join lateral (
  select f.at from pabal.fact f where f.xid >= pg_snapshot_xmax(s.seen) order by f.xid limit 1) f;

-- name: count_alive()
select count(*)::float8 from pabal.worker where until > pabal.real_now();

-- name: count_lost_servers(since)
select count(*)::float8 from pabal.fact f
where f.name = 'server.lost' and f.at >= :since::timestamptz
  and not exists (select from pabal.worker w where w.host = f.data->>'host' and w.started_at >= f.at and w.until > pabal.real_now());

-- name: read_size()
select pg_database_size(current_database())::float8 / 1048576;

-- name: count_connections()
select count(*)::float8 from pg_stat_activity where datname = current_database();

-- name: read_real_time()
select extract(epoch from pabal.real_now())::float8;

-- name: read_nothing()
select 1;
