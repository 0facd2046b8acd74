-- name: forget_old_keys(scopes, keys)!
-- a key kept past the end of its job is free again when its time is over
delete from pabal.dedupe where ctid = any(array(
  select d.place from unnest(:scopes::text[], :keys::text[]) as k(scope, key) cross join lateral (
    select d.ctid as place from pabal.dedupe d
    where d.scope = k.scope and d.key = k.key and d.until <= pabal.now() and not pabal.is_open(d.work_id) offset 0) d));

-- name: take_keys(scopes, keys, ids, keeps)
-- In order, so that two crowds with the same keys wait for one another instead of deadlocking.
insert into pabal.dedupe (scope, key, work_id, until)
select scope, key, id, until from unnest(:scopes::text[], :keys::text[], :ids::bigint[], :keeps::timestamptz[]) as g(scope, key, id, until)
order by scope, key on conflict do nothing returning scope, key, work_id as id;

-- name: find_keys(scopes, keys)
select d.scope, d.key, d.work_id as id from unnest(:scopes::text[], :keys::text[]) as k(scope, key)
cross join lateral (select * from pabal.dedupe d where d.scope = k.scope and d.key = k.key offset 0) d;

-- name: find_open_keys(kind, keys)
select work_id as id from pabal.dedupe where scope = :kind and key = any(:keys::text[]) and pabal.is_open(work_id);

-- name: new_ids(count)
-- the id's time is computed once: it costs more than the rest
with base as materialized (select pabal.id_at(pabal.now()) as id)
select (select id from base) | (nextval('pabal.id_seq') & 4194303) as id from generate_series(1, :count::int);

-- name: insert_jobs(ids, kinds, queues, priorities, lanes, abouts, args, units, causes, failures, recoveries, deadlines, records, dues, expiries)!
-- one JSON text carries all arguments: encoding them one by one costs more than inserting them
with given as materialized (
  select g.* from rows from (unnest(:ids::bigint[], :kinds::text[], :queues::text[], :priorities::smallint[], :lanes::text[], :abouts::text[],
    :units::bigint[], :causes::text[], :failures::smallint[], :recoveries::smallint[], :deadlines::interval[], :records::boolean[], :dues::timestamptz[],
    :expiries::timestamptz[]), jsonb_array_elements(:args::jsonb))
    as g(id, kind, queue, priority, lane, about, unit_id, cause, max_failures, max_recoveries, deadline, records_end, due_at, expires_at, args)),
body as (
  insert into pabal.work (id, unit_id, kind, queue, priority, lane, about, args, max_failures, max_recoveries, deadline, expires_at, cause,
    records_end, created_at)
  select id, unit_id, kind, queue, priority, lane, about, args, max_failures, max_recoveries, deadline, expires_at, cause,
    records_end, pabal.now() from given),
later as (
  insert into pabal.delayed (due_at, id, reason, token, failures, recoveries, snoozes)
  select due_at, id, 'asked', 0, 0, 0, 0 from given where due_at is not null),
behind as (
  insert into pabal.waiting (lane, rank, id, token, failures, recoveries, snoozes)
  select lane, case when (select true from pabal.lane_width v where v.name = split_part(lane, ':', 1)) then priority else 0 end, id, 0, 0, 0, 0
  from given where due_at is null and lane is not null),
now_ready as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select queue, priority, pabal.now(), id, 0, 0, 0, 0 from given where due_at is null and lane is null),
perishable as (
  insert into pabal.expiry (expires_at, id) select expires_at, id from given where expires_at is not null)
select;

-- name: insert_plain_jobs(kind, queue, priority, unit, failures, recoveries, deadline, records, abouts, causes, args)
-- The common case in bulk: one kind, no key, lane, delay or expiry, so one body and one place. One JSON text carries all
-- arguments, and the id's time is computed once: both cost more per row than the inserts do.
with base as materialized (select pabal.id_at(pabal.now()) as id),
given as materialized (
  select (select id from base) | (nextval('pabal.id_seq') & 4194303) as id, g.args, g.about, g.cause
  from rows from (jsonb_array_elements(:args::jsonb), unnest(:abouts::text[]), unnest(:causes::text[])) as g(args, about, cause)),
body as (
  insert into pabal.work (id, unit_id, kind, queue, priority, about, args, max_failures, max_recoveries, deadline, cause, records_end, created_at)
  select id, :unit::bigint, :kind, :queue, :priority::smallint, about, args, :failures::smallint, :recoveries::smallint,
         :deadline::interval, cause, :records::boolean, pabal.now() from given),
now_ready as (
  insert into pabal.ready (queue, priority, ready_at, id, token, failures, recoveries, snoozes)
  select :queue, :priority::smallint, pabal.now(), id, 0, 0, 0, 0 from given)
select id from given;

-- name: find_open_about(about)
-- a subject's jobs, old ones included, are few; which of them are open is looked up in the places
select w.id from pabal.work w where w.about = :about and pabal.is_open(w.id);

-- name: find_place(id)
select w.id, w.unit_id, w.kind, w.queue, w.priority, w.lane, w.about, w.args, w.max_failures, w.max_recoveries, w.deadline, w.expires_at, w.cause, w.created_at,
  w.records_end is true as records_end, o.data,
  case when o.id is not null then 'ended' when l.id is not null then 'lease' when r.id is not null then 'ready'
       when d.id is not null then 'delayed' when b.id is not null then 'waiting' else 'moving' end as place,
  o.result, o.ended_at, coalesce(o.error, e.error) as error, d.due_at, d.reason, l.worker, l.started_at, coalesce(t.progress, l.progress) as progress, t.checkpoint, l.cancel_at,
  case when l.cancel_at is not null then 'cancel' else l.stop end as stop,
  coalesce(l.token, r.token, d.token, b.token, o.token) as token,
  coalesce(l.failures, r.failures, d.failures, b.failures) as failures,
  coalesce(l.recoveries, r.recoveries, d.recoveries, b.recoveries) as recoveries,
  coalesce(l.snoozes, r.snoozes, d.snoozes, b.snoozes) as snoozes
from pabal.work w
left join pabal.outcome o on o.id = w.id and o.final
left join pabal.lease l on l.id = w.id left join pabal.ready r on r.id = w.id
left join pabal.delayed d on d.id = w.id left join pabal.waiting b on b.id = w.id
left join pabal.report t on t.id = w.id
left join lateral (select error from pabal.outcome x where x.id = w.id and x.error is not null order by x.token desc limit 1) e on true
where w.id = :id;

-- name: list_attempts(id)
select token, final, result, worker, started_at, ended_at, error from pabal.outcome where id = :id order by token;
