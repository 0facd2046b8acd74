-- name: load_schedules(ids)
-- in the order given, with the names one shows beside them and the engine's next moment
select s.*, b.name as bot_name, r.name as room_name, r.channel_id, r.room_type,
  case when s.state = 'active' and t.paused_at is null then t.next_at end as next_at, y.more_times, y.every_weeks
from unnest(:ids::bigint[]) with ordinality as g(id, n)
join pabal.message_schedule s on s.id = g.id join pabal.bot b on b.id = s.bot_id join pabal.room r on r.id = s.room_id
left join pabal.schedule t on t.id = s.timetable_id left join pabal.message_rhythm y on y.schedule_id = s.id
order by g.n;

-- name: lock_schedule(id)
select id from pabal.message_schedule where id = :id for update;

-- name: find_schedules(part, units, states, types, room_id, bot_id, q, is_due, now, next_at, id, most)
-- One part of a list. upcoming: what has a moment ahead, the soonest first, after (next_at, id). resting: what has none (inactive,
-- completed, stopped by errors, or waiting for its last send); newest: all; both the newest first, before id.
with chosen as not materialized (
  select s.id, s.state, s.timetable_id, s.valid_from, s.valid_until, s.last_sent_at from pabal.message_schedule s
  where s.deleted_at is null and (:units::bigint[] is null or s.unit_id = any(:units::bigint[]))
    and (:states::text[] is null or s.state = any(:states::text[])) and (:types::text[] is null or s.schedule_type = any(:types::text[]))
    and (:room_id::bigint is null or s.room_id = :room_id
      or exists (select from pabal.message_audience_room t where t.schedule_id = s.id and t.room_id = :room_id))
    and (:bot_id::bigint is null or s.bot_id = :bot_id)
    and (:q::text is null or s.title ilike :q or s.text ilike :q))
(select s.id, t.next_at from chosen s join pabal.schedule t on t.id = s.timetable_id
 where :part::text = 'upcoming' and s.state = 'active' and t.paused_at is null and t.next_at is not null
   -- the first is what the index is asked, the second what it cannot know
   and t.next_at >= :next_at::timestamptz and (t.next_at, s.id) > (:next_at::timestamptz, :id::bigint)
   and (not :is_due::boolean or (t.next_at <= :now::timestamptz and :now::timestamptz between s.valid_from and s.valid_until
     and (s.last_sent_at is null or s.last_sent_at < t.next_at)))
 order by t.next_at, s.id limit :most)
union all
(select s.id, null from chosen s left join pabal.schedule t on t.id = s.timetable_id
 where :part::text <> 'upcoming' and s.id < :id::bigint
   and (:part::text = 'newest' or s.state <> 'active' or t.id is null or t.paused_at is not null or t.next_at is null)
 order by s.id desc limit :most);

-- name: list_titled(units, title, most)
select s.id from pabal.message_schedule s
where s.deleted_at is null and s.title = :title and (:units::bigint[] is null or s.unit_id = any(:units::bigint[]))
order by s.id limit :most;

-- name: count_states(units)
select state, count(*) from pabal.message_schedule
where deleted_at is null and (:units::bigint[] is null or unit_id = any(:units::bigint[])) group by state;

-- name: insert_schedule(row)
-- columns by name: a column that a later server adds has its default here
insert into pabal.message_schedule (unit_id, state, version, title, description, created_by, bot_id, room_id, text, images_1, images_2,
  send_order, send_interval_seconds, media_wait_1, media_wait_2, schedule_type, schedule_date, schedule_time, schedule_weekdays, zone,
  valid_from, valid_until, late_policy, template_id, created_at, updated_at)
select unit_id, 'active', 1, title, description, created_by, bot_id, room_id, text, images_1, images_2,
  send_order, send_interval_seconds, media_wait_1, media_wait_2, schedule_type, schedule_date, schedule_time, schedule_weekdays, zone,
  valid_from, valid_until, late_policy, template_id, updated_at, updated_at
from jsonb_populate_record(null::pabal.message_schedule, :row::jsonb)
returning id;

-- name: update_schedule(id, row)!
-- unit: given, not compared
update pabal.message_schedule s set unit_id = n.unit_id, title = n.title, description = n.description, bot_id = n.bot_id, room_id = n.room_id,
  text = n.text, images_1 = n.images_1, images_2 = n.images_2, send_order = n.send_order, send_interval_seconds = n.send_interval_seconds,
  media_wait_1 = n.media_wait_1, media_wait_2 = n.media_wait_2, schedule_type = n.schedule_type, schedule_date = n.schedule_date,
  schedule_time = n.schedule_time, schedule_weekdays = n.schedule_weekdays, zone = n.zone, valid_from = n.valid_from,
  valid_until = n.valid_until, late_policy = n.late_policy, template_id = n.template_id, updated_at = n.updated_at
from jsonb_populate_record(null::pabal.message_schedule, :row::jsonb) n
where s.id = :id;

-- name: put_rhythm(id, more_times, every_weeks)!
insert into pabal.message_rhythm (schedule_id, more_times, every_weeks) values (:id, :more_times::time[], :every_weeks)
on conflict (schedule_id) do update set more_times = excluded.more_times, every_weeks = excluded.every_weeks;

-- name: delete_rhythm(id)!
delete from pabal.message_rhythm where schedule_id = :id;

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
select s.unit_id, s.title, s.schedule_type, s.schedule_date, s.schedule_time, s.schedule_weekdays, s.zone, s.valid_from, s.valid_until,
  y.more_times, y.every_weeks
from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id left join pabal.message_rhythm y on y.schedule_id = s.id
where (s.room_id = :room_id or exists (select from pabal.message_audience_room t where t.schedule_id = s.id and t.room_id = :room_id))
  and s.state = 'active' and s.id is distinct from :but_id::bigint and t.next_at is not null
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
select job_id from pabal.delivery where job_id = any(:job_ids::bigint[])
union all
select job_id from pabal.bulk_send where job_id = any(:job_ids::bigint[]);

-- name: list_jobs_of_deliveries(id)
select job_id from pabal.delivery where schedule_id = :id and state = 'open' and job_id is not null;

-- name: list_astray(by_room, policies, windows, after_id, most)
-- whose engine schedule was put under other settings
select s.id from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id
join unnest(:policies::text[], :windows::interval[]) as w(policy, span) on w.policy = s.late_policy
where s.id > :after_id and s.deleted_at is null and (
  -- one that goes to many rooms has no lane itself
  t.lane is distinct from case when :by_room::boolean and t.route is not null then 'room:' || s.room_id else t.route end
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
-- what its phones say where nothing sends for it: one that signs wrongly before one that waits for a decision
select b.id, b.name, b.excluded_at is not null as is_excluded, (
    select case when bool_or(pabal.is_unproven(b, d)) then 'wrong_secret' when bool_or(d.state = 'pending' or d.state = 'approved' and d.asks_from is not null) then 'waiting' end
    from pabal.bot_device d join pabal.worker w on w.id = d.worker and w.until > pabal.real_now() where d.bot_id = b.id) as away
from pabal.bot b where b.id = any(:bots::bigint[]);

-- name: list_held(routes)
-- by lives that are not over
select r.route from pabal.route r join pabal.worker w on w.id = r.worker
where r.route = any(:routes::text[]) and w.until > pabal.real_now();
