-- name: count_missed(since)
-- Who chose that late ones are skipped wants to hear nothing.
select d.unit_id, count(*)::int as count from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id
where d.state = 'missed' and d.scheduled_at >= :since and s.late_policy <> 'skip' and d.detail ->> 'dismissed_by' is null
group by 1;

-- name: count_in_error()
select unit_id, count(*)::int as count from pabal.message_schedule where state = 'error' group by 1;

-- name: list_waiting_bots(now)
-- Bots that nobody holds while something due waits for them: an occurrence of its one room, or one of many rooms.
with due as (
  select s.bot_id, t.route, o.fire_at as due_at from pabal.occurrence o join pabal.schedule t on t.id = o.schedule_id
  join pabal.message_schedule s on s.timetable_id = t.id
  where o."end" is null and o.work_id > 0 and o.fire_at <= :now and t.kind = 'messaging.send'
  union all
  select d.bot_id, w.queue, d.scheduled_at from pabal.delivery d join pabal.work w on w.id = d.job_id
  where d.state = 'open' and d.bulk_id is not null and d.scheduled_at <= :now)
select b.id, b.unit_id, b.name, count(*)::int as count, min(due.due_at) as since,
  exists (
    select from pabal.bot_device d join pabal.worker w on w.id = d.worker and w.until > pabal.real_now()
    where d.bot_id = b.id and pabal.is_unproven(b, d)) as is_unproven
from due join pabal.bot b on b.id = due.bot_id
where not exists (select from pabal.route r where r.route = due.route)
group by 1, 2, 3 order by 5, 1;

-- name: list_unproven()
-- bots with a phone that is connected and does not sign with their secret
select b.name from pabal.bot b
where b.secret is not null and b.excluded_at is null and exists (
  select from pabal.bot_device d join pabal.worker w on w.id = d.worker and w.until > pabal.real_now()
  where d.bot_id = b.id and pabal.is_unproven(b, d))
order by b.name;

-- name: count_prevented(since)
select coalesce(sum(count), 0)::float8 from pabal.message_count where hour >= :since and name = 'duplicates_prevented';

-- name: list_troubled(units, since, most)
-- What ended in a way somebody may do something about, and has not.
select d.id, d.unit_id, d.state, d.scheduled_at, d.reason, s.title, r.name as room_name, b.name as bot_name
from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id join pabal.room r on r.id = d.room_id join pabal.bot b on b.id = d.bot_id
where d.state in ('missed', 'partial', 'failed', 'unknown') and d.scheduled_at >= :since and d.cause <> 'test' and d.detail ->> 'dismissed_by' is null
  and (d.state <> 'missed' or s.late_policy <> 'skip') and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
order by d.scheduled_at desc, d.id desc limit :most;

-- name: list_in_error(units, most)
select id, unit_id, title, failures, updated_at from pabal.message_schedule
where state = 'error' and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
order by updated_at desc limit :most;

-- name: list_pending_devices(units, most)
select d.id, d.created_at, d.state = 'approved' as is_asking, b.id as bot_id, b.name as bot_name
from pabal.bot_device d join pabal.bot b on b.id = d.bot_id
where (d.state = 'pending' or d.state = 'approved' and d.asks_from is not null) and (:units::bigint[] is null or d.unit_id = any(:units::bigint[]))
order by d.created_at desc limit :most;

-- name: list_excluded(units, most)
select id, name, excluded_at, excluded_reason from pabal.bot
where excluded_at is not null and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
order by excluded_at desc limit :most;

-- name: count_unclaimed()
select count(*)::int from pabal.room where unit_id is null;

-- name: list_last_ends(units, since, most)
select state from pabal.delivery
where ended_at >= :since and state <> 'open' and cause <> 'test' and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
order by ended_at desc limit :most;

-- name: find_next(units)
select t.next_at from pabal.schedule t
where t.kind in ('messaging.send', 'messaging.bulk') and t.paused_at is null and t.next_at is not null and (:units::bigint[] is null or t.unit_id = any(:units::bigint[]))
order by t.next_at limit 1;

-- name: has_anything(units)
select exists (select from pabal.message_schedule where (:units::bigint[] is null or unit_id = any(:units::bigint[])))
  or exists (select from pabal.room where (:units::bigint[] is null or unit_id = any(:units::bigint[])));

-- name: has_bots()
select exists (select from pabal.bot);

-- name: find_things(units, words, most)
-- A bot is seen by whoever sees a room it is in.
(select 'schedule' as family, s.id, s.title, r.name as note from pabal.message_schedule s join pabal.room r on r.id = s.room_id
 where s.state <> 'deleted' and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) and s.title ilike :words order by s.id desc limit :most)
union all
(select 'room', r.id, r.name, r.channel_id from pabal.room r
 where (:units::bigint[] is null or r.unit_id = any(:units::bigint[])) and (r.name ilike :words or r.channel_id ilike :words) order by r.id desc limit :most)
union all
(select 'bot', b.id, b.name, '' from pabal.bot b
 where b.name ilike :words and (:units::bigint[] is null or b.unit_id = any(:units::bigint[])
   or exists (select from pabal.room_bot x join pabal.room r on r.id = x.room_id where x.bot_id = b.id and r.unit_id = any(:units::bigint[])))
 order by b.id desc limit :most);
