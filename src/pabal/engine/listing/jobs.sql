-- name: find_jobs(units, veiled, kind, route, lane, about, first, before, most)
-- Newest first, driven from the bodies; there is no union of all places (1.1 s for the newest 50 of a million).
select w.id from pabal.work w
where w.id >= :first and w.id < :before
  and (:units::bigint[] is null or w.unit_id = any(:units::bigint[])) and w.kind not like all(:veiled::text[])
  and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about) and (:lane::text is null or w.lane = :lane)
  and (:route::text is null or (w.queue = :route and w.queue <> w.kind))
order by w.id desc limit :most;

-- name: find_recent(units, veiled, first, before, look, most)
-- of many units the newest are mostly among the newest of all
select w.id from (select w.id, w.unit_id, w.kind from pabal.work w where w.id >= :first and w.id < :before order by w.id desc limit :look) w
where w.unit_id = any(:units::bigint[]) and w.kind not like all(:veiled::text[]) order by w.id desc limit :most;

-- name: find_of_units(units, veiled, first, before, most)
-- The newest of each, then of all: quick whether they are rare or common, few or hundreds. Written as a range and in the order
-- of its own index, so that no plan walks another one for what is rare.
select w.id from unnest(:units::bigint[]) as u(id) cross join lateral (
  select w.id from pabal.work w where (w.unit_id, w.id) < (u.id, :before::bigint) and w.unit_id >= u.id and w.id >= :first
    and w.kind not like all(:veiled::text[])
  order by w.unit_id desc, w.id desc limit :most) w
order by w.id desc limit :most;

-- name: find_in_place(units, veiled, kind, route, lane, about, first, before, most)
-- A filter by place is driven from that place; `a_place` stands for ready, delayed or waiting.
select p.id from pabal.a_place p join pabal.work w on w.id = p.id
where p.id >= :first and p.id < :before
  and (:units::bigint[] is null or w.unit_id = any(:units::bigint[])) and w.kind not like all(:veiled::text[])
  and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about) and (:lane::text is null or w.lane = :lane)
  and (:route::text is null or (w.queue = :route and w.queue <> w.kind))
order by p.id desc limit :most;

-- name: find_running(units, veiled, kind, route, lane, about, worker, first, before, most)
select p.id from pabal.lease p join pabal.work w on w.id = p.id
where p.id >= :first and p.id < :before and (:worker::bigint is null or p.worker = :worker)
  and (:units::bigint[] is null or w.unit_id = any(:units::bigint[])) and w.kind not like all(:veiled::text[])
  and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about) and (:lane::text is null or w.lane = :lane)
  and (:route::text is null or (w.queue = :route and w.queue <> w.kind))
order by p.id desc limit :most;

-- name: find_ended(units, veiled, kind, route, lane, about, result, first, before, most)
select p.id from pabal.outcome p join pabal.work w on w.id = p.id
where p.final and p.result = :result and p.id >= :first and p.id < :before
  and (:units::bigint[] is null or w.unit_id = any(:units::bigint[])) and w.kind not like all(:veiled::text[])
  and (:kind::text is null or w.kind = :kind) and (:about::text is null or w.about = :about) and (:lane::text is null or w.lane = :lane)
  and (:route::text is null or (w.queue = :route and w.queue <> w.kind))
order by p.id desc limit :most;

-- name: count_place(most)
-- of everybody, so that the bodies need not be read
select count(*)::int from (select from pabal.a_place limit :most) c;

-- name: count_result(result, most)
select count(*)::int from (select from pabal.outcome where final and result = :result limit :most) c;

-- name: count_found()
-- `a_list` stands for one of the statements above
select count(*)::int from (a_list) c;

-- name: show_jobs(ids)
select w.id, w.unit_id, w.kind, w.queue, w.lane, w.about, w.cause, w.priority::int, w.created_at, w.expires_at,
  case when o.result is not null then o.result when l.id is not null then 'running' when r.id is not null then 'ready'
       when d.id is not null then 'delayed' when b.id is not null then 'waiting' else 'moving' end as state,
  coalesce(l.failures, r.failures, d.failures, b.failures, o.failures)::int as failures,
  w.max_failures::int, coalesce(l.token, r.token, d.token, b.token, o.token) as token,
  coalesce(l.worker, o.worker) as worker, s.host, n.holders[1] as lane_holder,
  r.ready_at, d.due_at, d.reason, coalesce(l.started_at, o.started_at) as started_at, l.started_at + w.deadline as deadline, coalesce(t.progress, l.progress) as progress, l.cancel_at,
  case when l.cancel_at is not null then 'cancel' else l.stop end as stop, t.at as reported_at,
  t.percent, case when l.token = t.token then t.since end as since, t.since_percent,
  o.ended_at, o.error
from unnest(:ids::bigint[]) with ordinality as g(id, n) join pabal.work w on w.id = g.id
left join lateral (
  select count(*) filter (where x.result in ('retry', 'failed')) as failures, max(x.result) filter (where x.final) as result,
    max(x.token) filter (where x.final) as token, max(x.worker) filter (where x.final) as worker, max(x.started_at) filter (where x.final) as started_at,
    max(x.ended_at) filter (where x.final) as ended_at, max(x.error->>'reason') filter (where x.final) as error
  from pabal.outcome x where x.id = w.id) o on true
left join pabal.lease l on l.id = w.id left join pabal.ready r on r.id = w.id
left join pabal.delayed d on d.id = w.id left join pabal.waiting b on b.id = w.id
left join pabal.report t on t.id = w.id
left join pabal.lane n on n.lane = b.lane
left join pabal.worker s on s.id = coalesce(l.worker, o.worker)
order by g.n;

-- name: find_between(first, last, units, veiled)
-- what a shortened id may mean; two are enough to know that it is not unique
select id from pabal.work where id >= :first and id <= :last and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
  and kind not like all(:veiled::text[]) order by id limit 2;

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
