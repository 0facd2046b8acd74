-- name: load_schedules(ids)
-- in the order given, with the names one shows beside them and the engine's next moment
select s.id, s.unit_id, s.state, s.version, s.timetable_id, s.title, s.description, s.created_by, s.bot_id, b.name as bot_name,
  s.room_id, r.name as room_name, r.channel_id, r.room_type, s.text, s.images_1, s.images_2, s.send_order, s.send_interval_seconds,
  s.media_wait_1, s.media_wait_2, s.schedule_type, s.schedule_date, s.schedule_time, s.schedule_weekdays, s.zone, s.valid_from,
  s.valid_until, s.late_policy, s.template_id, case when s.state = 'active' and t.paused_at is null then t.next_at end as next_at,
  s.last_sent_at, s.send_count, s.failures, s.created_at, s.updated_at
from unnest(:ids::bigint[]) with ordinality as g(id, n)
join pabal.message_schedule s on s.id = g.id join pabal.bot b on b.id = s.bot_id join pabal.room r on r.id = s.room_id
left join pabal.schedule t on t.id = s.timetable_id
order by g.n;

-- name: lock_schedule(id)
select id from pabal.message_schedule where id = :id for update;

-- name: find_upcoming(units, states, types, room_id, bot_id, q, is_due, now, next_at, after_id, most)
-- the soonest first
select s.id, t.next_at from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id
where s.state = 'active' and s.deleted_at is null and t.paused_at is null and t.next_at is not null
  -- the first is what the index is asked, the second what it cannot know
  and t.next_at >= :next_at::timestamptz and (t.next_at, s.id) > (:next_at::timestamptz, :after_id::bigint)
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) and (:states::text[] is null or s.state = any(:states::text[]))
  and (:types::text[] is null or s.schedule_type = any(:types::text[])) and (:room_id::bigint is null or s.room_id = :room_id)
  and (:bot_id::bigint is null or s.bot_id = :bot_id) and (:q::text is null or s.title ilike :q or s.text ilike :q)
  and (not :is_due::boolean or (t.next_at <= :now::timestamptz and :now::timestamptz between s.valid_from and s.valid_until
    and (s.last_sent_at is null or s.last_sent_at < t.next_at)))
order by t.next_at, s.id limit :most;

-- name: find_resting(units, states, types, room_id, bot_id, q, before_id, most)
-- what has no moment ahead: inactive, completed, stopped by errors, or waiting for its last send; the newest first
select s.id from pabal.message_schedule s left join pabal.schedule t on t.id = s.timetable_id
where s.id < :before_id and s.deleted_at is null
  and (s.state <> 'active' or t.id is null or t.paused_at is not null or t.next_at is null)
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) and (:states::text[] is null or s.state = any(:states::text[]))
  and (:types::text[] is null or s.schedule_type = any(:types::text[])) and (:room_id::bigint is null or s.room_id = :room_id)
  and (:bot_id::bigint is null or s.bot_id = :bot_id) and (:q::text is null or s.title ilike :q or s.text ilike :q)
order by s.id desc limit :most;

-- name: find_newest(units, states, types, room_id, bot_id, q, before_id, most)
select s.id from pabal.message_schedule s
where s.id < :before_id and s.deleted_at is null
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[])) and (:states::text[] is null or s.state = any(:states::text[]))
  and (:types::text[] is null or s.schedule_type = any(:types::text[])) and (:room_id::bigint is null or s.room_id = :room_id)
  and (:bot_id::bigint is null or s.bot_id = :bot_id) and (:q::text is null or s.title ilike :q or s.text ilike :q)
order by s.id desc limit :most;

-- name: count_states(units)
select state, count(*) from pabal.message_schedule
where deleted_at is null and (:units::bigint[] is null or unit_id = any(:units::bigint[])) group by state;

-- name: insert_schedule(unit_id, title, description, created_by, bot_id, room_id, text, images_1, images_2, send_order, send_interval_seconds, media_wait_1, media_wait_2, schedule_type, schedule_date, schedule_time, schedule_weekdays, zone, valid_from, valid_until, late_policy, template_id, now)
insert into pabal.message_schedule (unit_id, state, version, title, description, created_by, bot_id, room_id, text, images_1, images_2, send_order,
  send_interval_seconds, media_wait_1, media_wait_2, schedule_type, schedule_date, schedule_time, schedule_weekdays, zone, valid_from, valid_until,
  late_policy, template_id, created_at, updated_at)
values (:unit_id, 'active', 1, :title, :description, :created_by, :bot_id, :room_id, :text, :images_1, :images_2, :send_order,
  :send_interval_seconds, :media_wait_1, :media_wait_2, :schedule_type, :schedule_date, :schedule_time, :schedule_weekdays, :zone, :valid_from, :valid_until,
  :late_policy, :template_id, :now, :now)
returning id;

-- name: update_schedule(id, unit_id, title, description, bot_id, room_id, text, images_1, images_2, send_order, send_interval_seconds, media_wait_1, media_wait_2, schedule_type, schedule_date, schedule_time, schedule_weekdays, zone, valid_from, valid_until, late_policy, template_id, now)!
update pabal.message_schedule set unit_id = :unit_id, title = :title, description = :description, bot_id = :bot_id, room_id = :room_id, text = :text,
  images_1 = :images_1, images_2 = :images_2, send_order = :send_order, send_interval_seconds = :send_interval_seconds,
  media_wait_1 = :media_wait_1, media_wait_2 = :media_wait_2, schedule_type = :schedule_type, schedule_date = :schedule_date,
  schedule_time = :schedule_time, schedule_weekdays = :schedule_weekdays, zone = :zone, valid_from = :valid_from, valid_until = :valid_until,
  late_policy = :late_policy, template_id = :template_id, updated_at = :now
where id = :id;

-- name: set_timetable(id, timetable_id)!
update pabal.message_schedule set timetable_id = :timetable_id where id = :id;

-- name: note_change(id, is_deleted, now)!
update pabal.message_schedule set updated_at = :now, deleted_at = case when :is_deleted then :now::timestamptz else deleted_at end where id = :id;

-- name: clear_failures(id)!
update pabal.message_schedule set failures = 0 where id = :id;

-- name: list_delivery_ids(id)
select id from pabal.delivery where schedule_id = :id order by id;

-- name: delete_schedule(id)!
-- its deliveries and their parts go with it
delete from pabal.message_schedule where id = :id;

-- name: list_neighbours(room_id, but_id, most)
-- what else is sent to this room
select s.unit_id, s.title, s.schedule_type, s.schedule_date, s.schedule_time, s.schedule_weekdays, s.zone, s.valid_from, s.valid_until
from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id
where s.room_id = :room_id and s.state = 'active' and s.id is distinct from :but_id::bigint and t.next_at is not null
order by t.next_at, s.id limit :most;

-- name: find_same_text(room_id, but_id, text, since)
-- of a schedule that sends it, or of a delivery that did; the newest
select f.unit_id, f.title from (
  select s.unit_id, s.title, coalesce(s.last_sent_at, s.created_at) as at from pabal.message_schedule s
  where s.room_id = :room_id and s.id is distinct from :but_id::bigint and s.text = :text and s.send_order <> 'images_only'
    and (s.state = 'active' or s.last_sent_at >= :since::timestamptz)
  union all
  select d.unit_id, s.title, d.scheduled_at from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id
  where d.room_id = :room_id and d.id >= pabal.id_at(:since::timestamptz) and d.schedule_id is distinct from :but_id::bigint
    and d.state in ('sent', 'partial', 'unknown') and d.cause <> 'test' and d.content->>'text' = :text) f
order by f.at desc limit 1;

-- name: list_begun(job_ids)
-- jobs whose delivery is there already: it began, or somebody asked for it by name
select job_id from pabal.delivery where job_id = any(:job_ids::bigint[]);

-- name: list_jobs_of_deliveries(id)
select job_id from pabal.delivery where schedule_id = :id and state = 'open' and job_id is not null;

-- name: list_astray(by_room, policies, windows, after_id, most)
-- whose engine schedule was put under other settings
select s.id from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id
join unnest(:policies::text[], :windows::interval[]) as w(policy, span) on w.policy = s.late_policy
where s.id > :after_id and s.deleted_at is null and (
  t.lane is distinct from case when :by_room::boolean then 'room:' || s.room_id else t.route end
  or t.misfire_window is distinct from w.span or t.expires_after is distinct from w.span)
order by s.id limit :most;

-- name: list_last(schedules)
-- the newest delivery of each that was no test
select d.schedule_id, d.id, d.state, d.scheduled_at, d.reason
from unnest(:schedules::bigint[]) as s(id)
cross join lateral (
  select d.schedule_id, d.id, d.state, d.scheduled_at, d.reason from pabal.delivery d
  where d.schedule_id = s.id and d.cause <> 'test' and d.state <> 'open' order by d.id desc limit 1) d;

-- name: count_today(units, until)
-- schedules that send something before this moment
select count(*) from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id
where s.state = 'active' and s.deleted_at is null and t.paused_at is null and t.next_at < :until
  and (:units::bigint[] is null or s.unit_id = any(:units::bigint[]));

-- name: list_bots(bots)
select b.id, b.name, b.excluded_at is not null as is_excluded from pabal.bot b where b.id = any(:bots::bigint[]);

-- name: list_held(routes)
-- by lives that are not over
select r.route from pabal.route r join pabal.worker w on w.id = r.worker
where r.route = any(:routes::text[]) and w.until > pabal.real_now();
