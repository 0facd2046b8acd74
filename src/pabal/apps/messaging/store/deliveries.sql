-- name: lock_delivery(id)
select id from pabal.delivery where id = :id for no key update;

-- name: find_deliveries(units, states, schedule_id, room_id, bot_id, bulk_id, cause, from_at, to_at, q, before, most)
select d.id from pabal.delivery d
where d.id < :before and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
  and (:states::text[] is null or d.state = any(:states::text[])) and (:schedule_id::bigint is null or d.schedule_id = :schedule_id)
  and (:room_id::bigint is null or d.room_id = :room_id) and (:bot_id::bigint is null or d.bot_id = :bot_id)
  and (:bulk_id::bigint is null or d.bulk_id = :bulk_id) and (:cause::text is null or d.cause = :cause)
  and (:from_at::timestamptz is null or d.scheduled_at >= :from_at) and (:to_at::timestamptz is null or d.scheduled_at < :to_at)
  and (:q::text is null or strpos(lower(d.content->>'text'), lower(:q)) > 0
    or exists (select from pabal.message_schedule s where s.id = d.schedule_id and strpos(lower(s.title), lower(:q)) > 0)
    or exists (select from pabal.room r where r.id = d.room_id and strpos(lower(r.name), lower(:q)) > 0))
order by d.id desc limit :most;

-- name: find_of_units(units, before, most)
-- The newest of each unit, then of all: quick whether they are rare or common. Written as a range and in the order of its own
-- index, so that no plan walks another one for what is rare.
select d.id from unnest(:units::bigint[]) as u(id) cross join lateral (
  select d.id from pabal.delivery d where (d.unit_id, d.id) < (u.id, :before::bigint) and d.unit_id >= u.id
  order by d.unit_id desc, d.id desc limit :most) d
order by d.id desc limit :most;

-- name: show_deliveries(ids, units)
select d.id, d.unit_id, d.state, d.version, d.schedule_id, s.title as schedule_title, d.room_id, r.name as room_name, r.channel_id,
  d.bot_id, b.name as bot_name, d.scheduled_at, d.cause, d.asked_by, d.is_catch_up, d.job_id, d.attempts, d.content, d.image_mode,
  d.template_id, d.started_at, d.ended_at, d.duration_ms, d.reason, d.detail, d.deferred_by, d.deferred_until, d.created_at, d.bulk_id,
  case when d.state = 'open' then (
    select case when l.id is not null then 'sending' when y.reason like 'limit:% name' then 'held'
      when y.reason like 'limit:%' then 'deferred' when y.reason = 'retry' then 'retrying'
      when exists (select from pabal.route t join pabal.worker k on k.id = t.worker and k.until > pabal.real_now() where t.route = w.queue)
      then 'queued'
      when exists (select from pabal.bot_device v join pabal.worker k on k.id = v.worker and k.until > pabal.real_now()
        where v.bot_id = b.id and pabal.is_unproven(b, v)) then 'wrong_secret' else 'waiting_for_bot' end
    from pabal.work w left join pabal.lease l on l.id = w.id left join pabal.delayed y on y.id = w.id where w.id = d.job_id) end as place
from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id join pabal.room r on r.id = d.room_id
join pabal.bot b on b.id = d.bot_id
where d.id = any(:ids::bigint[]) and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
order by d.id desc;

-- name: list_open(units, most)
-- From both sides: occurrences whose job is open, and sends a person asked for. Until it is first taken, a job has no delivery.
with open as (
  select o.work_id as job_id, s.id as schedule_id, o.fire_at as scheduled_at, s.unit_id, s.room_id, s.bot_id,
    case when o.reason = 'triggered' then 'now' else 'schedule' end as cause, null::bigint as delivery_id
  from pabal.occurrence o join pabal.message_schedule s on s.timetable_id = o.schedule_id
  where o."end" is null and o.work_id > 0
    and not exists (select from pabal.delivery d where d.schedule_id = s.id and d.scheduled_at = o.fire_at)
    and not exists (select from pabal.bulk_send k where k.schedule_id = s.id and k.fire_at = o.fire_at)
  union all
  select d.job_id, d.schedule_id, d.scheduled_at, d.unit_id, d.room_id, d.bot_id, d.cause, d.id
  from pabal.delivery d where d.state = 'open')
select o.job_id, o.delivery_id, o.unit_id, o.schedule_id, s.title as schedule_title, o.room_id, r.name as room_name, o.bot_id,
  b.name as bot_name, o.scheduled_at, o.cause, d.deferred_by, coalesce(y.due_at, d.deferred_until) as until,
  (select count(*) from pabal.delivery_part p where p.delivery_id = o.delivery_id)::int as parts,
  (select count(*) from pabal.delivery_part p where p.delivery_id = o.delivery_id
    and (p.handled_at is not null or p.state = 'written' and not p.receipt))::int as written,
  case when l.id is not null then 'sending' when y.reason like 'limit:% name' then 'held'
    when y.reason like 'limit:%' then 'deferred' when y.reason = 'retry' then 'retrying'
    when exists (select from pabal.route t join pabal.worker k on k.id = t.worker and k.until > pabal.real_now() where t.route = w.queue)
    then 'queued'
      when exists (select from pabal.bot_device v join pabal.worker k on k.id = v.worker and k.until > pabal.real_now()
        where v.bot_id = b.id and pabal.is_unproven(b, v)) then 'wrong_secret' else 'waiting_for_bot' end as place
from open o join pabal.message_schedule s on s.id = o.schedule_id join pabal.room r on r.id = o.room_id join pabal.bot b on b.id = o.bot_id
left join pabal.delivery d on d.id = o.delivery_id left join pabal.work w on w.id = o.job_id left join pabal.lease l on l.id = o.job_id
left join pabal.delayed y on y.id = o.job_id
where :units::bigint[] is null or o.unit_id = any(:units::bigint[])
order by o.scheduled_at, o.job_id limit :most;

-- name: list_recent(units, since, until)
-- what was due and what became of it; a moment nobody has looked at yet is due all the same
with due as (
  select s.id as schedule_id, s.unit_id, s.title, o.fire_at as scheduled_at from pabal.occurrence o
  join pabal.message_schedule s on s.timetable_id = o.schedule_id
  where o.fire_at >= :since and o.fire_at <= :until and o.decision <> 'coalesced' and o.reason not in ('asked', 'paused', 'deleted')
  union all
  select s.id, s.unit_id, s.title, t.next_at from pabal.schedule t join pabal.message_schedule s on s.timetable_id = t.id
  where t.next_at >= :since and t.next_at <= :until and t.paused_at is null)
select u.schedule_id, u.unit_id, u.title as schedule_title, u.scheduled_at, d.id as delivery_id, d.state, d.reason,
  case when d.state in ('sent', 'partial', 'unknown') then 'sent' when d.state = 'failed' or d.attempts > 0 then 'retry_needed'
    else 'not_sent' end as verdict
from due u left join pabal.delivery d on d.schedule_id = u.schedule_id and d.scheduled_at = u.scheduled_at
where :units::bigint[] is null or u.unit_id = any(:units::bigint[])
order by u.scheduled_at, u.schedule_id;

-- name: list_months(zone, until)
-- finished months with deliveries that are not archived; from the oldest delivery, a month at a time
with recursive month as (
  select date_trunc('month', min(scheduled_at) at time zone :zone::text)::date as month from pabal.delivery
  union all
  select (m.month + interval '1 month')::date from month m where (m.month + interval '2 months') at time zone :zone::text <= :until::timestamptz)
select m.month from month m
where (m.month + interval '1 month') at time zone :zone::text <= :until::timestamptz
  and not exists (select from pabal.delivery_archive a where a.month = m.month)
  and exists (
    select from pabal.delivery d where d.scheduled_at >= m.month::timestamp at time zone :zone::text
      and d.scheduled_at < (m.month + interval '1 month') at time zone :zone::text)
order by m.month;

-- name: find_slice(month, zone, after_at, after_id, most)
select d.id, d.scheduled_at from pabal.delivery d
where d.scheduled_at >= :month::date::timestamp at time zone :zone::text
  and d.scheduled_at < (:month::date + interval '1 month') at time zone :zone::text
  and (:after_at::timestamptz is null or (d.scheduled_at, d.id) > (:after_at, :after_id::bigint))
order by d.scheduled_at, d.id limit :most;

-- name: insert_archive(month, file_id, deliveries, made_at)!
insert into pabal.delivery_archive (month, file_id, deliveries, made_at) values (:month, :file_id, :deliveries, :made_at) on conflict do nothing;

-- name: list_archives()
select month, file_id, deliveries, made_at from pabal.delivery_archive order by month;

-- name: delete_old(zone, before, most)
-- only what is in an archive as it is now: never what is under way, nor what came or changed after its month was put away
delete from pabal.delivery where id in (
  select d.id from pabal.delivery d
  where d.scheduled_at < :before::timestamptz and d.state <> 'open'
    and exists (
      select from pabal.delivery_archive a where a.month = date_trunc('month', d.scheduled_at at time zone :zone::text)::date
        and d.created_at < a.made_at and d.ended_at < a.made_at)
  order by d.scheduled_at limit :most)
returning id;
