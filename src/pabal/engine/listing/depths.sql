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
