-- name: find_jobs(kind, about, before, most)
-- newest first, driven from the bodies; there is no union of all places (1.1 s for the newest 50 of a million)
select w.id from pabal.work w
where w.id < :before and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about)
order by w.id desc limit :most;

-- name: find_ready(kind, about, before, most)
-- a filter by place is driven from that place
select p.id from pabal.ready p join pabal.work w on w.id = p.id
where p.id < :before and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about)
order by p.id desc limit :most;

-- name: find_delayed(kind, about, before, most)
select p.id from pabal.delayed p join pabal.work w on w.id = p.id
where p.id < :before and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about)
order by p.id desc limit :most;

-- name: find_waiting(kind, about, before, most)
select p.id from pabal.waiting p join pabal.work w on w.id = p.id
where p.id < :before and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about)
order by p.id desc limit :most;

-- name: find_running(kind, about, before, most)
select p.id from pabal.lease p join pabal.work w on w.id = p.id
where p.id < :before and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about)
order by p.id desc limit :most;

-- name: find_ended(kind, about, result, before, most)
select p.id from pabal.outcome p join pabal.work w on w.id = p.id
where p.final and p.result = :result and p.id < :before
  and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about)
order by p.id desc limit :most;

-- name: show_jobs(ids)
select w.id, w.kind, w.queue, w.lane, w.about, w.cause, w.created_at,
  case when o.id is not null then o.result when l.id is not null then 'running' when r.id is not null then 'ready'
       when d.id is not null then 'delayed' when b.id is not null then 'waiting' else 'moving' end as state,
  coalesce(l.failures, r.failures, d.failures, b.failures, 0)::int as failures,
  d.due_at, d.reason, l.started_at, o.ended_at, o.error->>'reason' as error
from unnest(:ids::bigint[]) with ordinality as g(id, n) join pabal.work w on w.id = g.id
left join pabal.outcome o on o.id = w.id and o.final
left join pabal.lease l on l.id = w.id left join pabal.ready r on r.id = w.id
left join pabal.delayed d on d.id = w.id left join pabal.waiting b on b.id = w.id
order by g.n;

-- name: find_between(first, last)
-- what a shortened id may mean; two are enough to know that it is not unique
select id from pabal.work where id >= :first and id <= :last order by id limit 2;

-- name: count_places()
select (select count(*) from (select from pabal.ready limit 10001) c)::int as ready,
  (select count(*) from (select from pabal.delayed limit 10001) c)::int as delayed,
  (select count(*) from (select from pabal.waiting limit 10001) c)::int as waiting,
  (select count(*) from (select from pabal.lease limit 10001) c)::int as running;

-- name: list_queues(most)
-- a loose index scan over the queues, each counted up to the cap; its oldest is the first of one of four priorities
with recursive queue as (
  (select queue from pabal.ready order by queue limit 1)
  union all
  select (select r.queue from pabal.ready r where r.queue > q.queue order by r.queue limit 1) from queue q where q.queue is not null),
chosen as materialized (select queue from queue where queue is not null limit :most)
select s.queue, (select count(*) from (select from pabal.ready r where r.queue = s.queue limit 10001) c)::int as ready,
  (select min(first.ready_at) from generate_series(0, 3) as p(priority) cross join lateral (
    select r.ready_at from pabal.ready r where r.queue = s.queue and r.priority = p.priority order by r.ready_at limit 1) first) as oldest_at
from chosen s order by s.queue;

-- name: find_next_moments()
select (select due_at from pabal.delayed order by due_at limit 1) as delayed_at,
  (select next_at from pabal.schedule where paused_at is null and next_at is not null order by next_at, id limit 1) as schedule_at,
  (select min(due_at) from pabal.timer where due_at < 'infinity') as timer_at;

-- name: list_delayed_until(until, most)
select d.due_at as at, d.id, w.kind, w.about, d.reason from pabal.delayed d join pabal.work w on w.id = d.id
where d.due_at <= :until::timestamptz order by d.due_at, d.id limit :most;

-- name: list_timers_until(until, most)
-- each machine's first ones through its own index, then the first of them all
with recursive machine as (
  (select machine as name from pabal.timer order by machine limit 1)
  union all
  select (select t.machine from pabal.timer t where t.machine > m.name order by t.machine limit 1) from machine m where m.name is not null)
select t.due_at as at, t.machine, t.subject, t.event
from machine m cross join lateral (
  select * from pabal.timer t where t.machine = m.name and t.due_at <= :until::timestamptz order by t.due_at, t.subject limit :most) t
where m.name is not null order by t.due_at, t.machine, t.subject limit :most;

-- name: list_servers(ttl)
-- lives are measured on the real clock, never on the moved one
select w.id, w.host, w.started_at, w.meta, w.until > pabal.real_now() as is_alive,
  (select count(*) from pabal.lease l where l.worker = w.id)::int as running,
  extract(epoch from pabal.real_now() + :ttl::interval - w.until)::float8 as heard_seconds
from pabal.worker w order by w.id;
