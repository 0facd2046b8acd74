-- name: insert_bulk(schedule_id, fire_at, rooms, until, job_id, must_be_active, now)
-- its schedule is locked
insert into pabal.bulk_send (unit_id, schedule_id, fire_at, cause, asked_by, rooms, until, job_id, created_at)
select s.unit_id, s.id, :fire_at, case when o.reason = 'triggered' then 'now' else 'schedule' end,
  case when o.reason = 'triggered' then o.actor end, :rooms, :until, :job_id, :now
from pabal.message_schedule s
left join pabal.occurrence o on o.schedule_id = s.timetable_id and o.fire_at = :fire_at
where s.id = :schedule_id and s.state <> 'deleted' and (not :must_be_active::boolean or s.state = 'active' or o.reason = 'triggered')
on conflict (schedule_id, fire_at) do nothing
returning id;

-- name: list_taken(schedule_id, since, until)
select d.scheduled_at from pabal.delivery d where d.schedule_id = :schedule_id and d.scheduled_at >= :since and d.scheduled_at <= :until;

-- name: insert_deliveries(bulk_id, rooms, bots, moments, contents, on_time, now)
insert into pabal.delivery (unit_id, state, version, schedule_id, room_id, bot_id, scheduled_at, cause, asked_by, is_catch_up, content,
  image_mode, template_id, created_at, bulk_id)
select k.unit_id, 'open', 1, k.schedule_id, g.room_id, g.bot_id, g.moment, k.cause, k.asked_by,
  k.cause = 'schedule' and :now::timestamptz - k.fire_at > :on_time::interval, g.content, b.image_mode, s.template_id, :now, k.id
from unnest(:rooms::bigint[], :bots::bigint[], :moments::timestamptz[], :contents::jsonb[]) with ordinality
  as g(room_id, bot_id, moment, content, n)
join pabal.bulk_send k on k.id = :bulk_id join pabal.message_schedule s on s.id = k.schedule_id join pabal.bot b on b.id = g.bot_id
order by g.n
returning id;

-- name: set_jobs(ids, jobs)!
update pabal.delivery d set job_id = g.job_id from unnest(:ids::bigint[], :jobs::bigint[]) as g(id, job_id)
where d.id = any(:ids::bigint[]) and d.id = g.id;

-- name: load_bulks(ids)
select k.id, k.unit_id, k.schedule_id, s.title as schedule_title, k.fire_at, k.cause, k.asked_by, k.rooms, k.until, k.job_id, k.created_at,
  k.ended_at
from pabal.bulk_send k join pabal.message_schedule s on s.id = k.schedule_id where k.id = any(:ids::bigint[]) order by k.id desc;

-- name: count_states(ids)
select d.bulk_id, d.state, count(*)::int as count from pabal.delivery d where d.bulk_id = any(:ids::bigint[]) group by d.bulk_id, d.state;

-- name: find_at(schedule_id, fire_at)
select id from pabal.bulk_send where schedule_id = :schedule_id and fire_at = :fire_at;

-- name: hold_bulks(ids)
-- one after the other, so that whoever ends the last delivery sees that it is the last
select id from pabal.bulk_send where id = any(:ids::bigint[]) order by id for no key update;

-- name: end_bulks(ids, now)
update pabal.bulk_send k set ended_at = :now
where k.id = any(:ids::bigint[]) and k.ended_at is null
  and not exists (select from pabal.delivery d where d.bulk_id = k.id and d.state = 'open')
returning k.id;

-- name: reopen_bulk(id, until)!
update pabal.bulk_send set ended_at = null, until = greatest(until, :until) where id = :id;

-- name: list_missing(bulk_id, states)
-- unit: of a bulk that was found in sight
select d.id from pabal.delivery d where d.bulk_id = :bulk_id and d.state = any(:states::text[]) order by d.scheduled_at
for no key update;

-- name: list_waiting(schedule_id)
-- rooms whose turn has not come, of bulks that are under way
select d.id, d.job_id from pabal.delivery d
where d.schedule_id = :schedule_id and d.bulk_id is not null and d.state = 'open' and d.attempts = 0 and d.job_id is not null
  and not exists (select from pabal.lease l where l.id = d.job_id)
order by d.scheduled_at;

-- name: find_bulks(units, schedule_id, is_open, before, most)
select k.id from pabal.bulk_send k
where k.id < :before and (:units::bigint[] is null or k.unit_id = any(:units::bigint[]))
  and (:schedule_id::bigint is null or k.schedule_id = :schedule_id) and (:is_open::boolean is null or (k.ended_at is null) = :is_open)
order by k.id desc limit :most;
