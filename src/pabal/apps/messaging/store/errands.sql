-- name: open_errand(schedule_id, scheduled_at, job_id, on_time, must_be_active, now)
-- One for each occurrence: the unique index forbids a second. Until its first attempt begins it holds what the schedule says now.
insert into pabal.delivery (unit_id, state, version, schedule_id, room_id, bot_id, scheduled_at, cause, asked_by, is_catch_up, job_id,
  content, image_mode, template_id, created_at)
select s.unit_id, 'open', 1, s.id, s.room_id, s.bot_id, :scheduled_at, case when o.reason = 'triggered' then 'now' else 'schedule' end,
  case when o.reason = 'triggered' then o.actor end,
  o.reason is distinct from 'triggered' and :now::timestamptz - :scheduled_at::timestamptz > :on_time::interval, :job_id,
  jsonb_build_object('text', s.text, 'images_1', s.images_1, 'images_2', s.images_2, 'send_order', s.send_order,
    'send_interval_seconds', s.send_interval_seconds, 'media_wait_1', s.media_wait_1, 'media_wait_2', s.media_wait_2),
  b.image_mode, s.template_id, :now
from pabal.message_schedule s join pabal.bot b on b.id = s.bot_id
left join pabal.occurrence o on o.schedule_id = s.timetable_id and o.fire_at = :scheduled_at
where s.id = :schedule_id and s.state <> 'deleted' and (not :must_be_active::boolean or s.state = 'active' or o.reason = 'triggered')
-- whoever pauses or edits it locks its row: either that is seen here, or what it withdraws has begun
for share of s
on conflict (schedule_id, scheduled_at) do update set room_id = excluded.room_id, bot_id = excluded.bot_id, job_id = excluded.job_id,
    content = excluded.content, image_mode = excluded.image_mode, template_id = excluded.template_id
  where pabal.delivery.state = 'open' and pabal.delivery.attempts = 0
returning id, xmax = 0 as is_new;

-- name: insert_test(schedule_id, room_id, bot_id, asked_by, now)
-- never in the way of an occurrence: the next free microsecond
insert into pabal.delivery (unit_id, state, version, schedule_id, room_id, bot_id, scheduled_at, cause, asked_by, content, image_mode,
  template_id, created_at)
select s.unit_id, 'open', 1, s.id, :room_id, b.id,
  (select :now::timestamptz + n * interval '1 microsecond' from generate_series(0, 1000) as g(n)
   where not exists (select from pabal.delivery d where d.schedule_id = s.id and d.scheduled_at = :now::timestamptz + n * interval '1 microsecond')
   order by n limit 1),
  'test', :asked_by,
  jsonb_build_object('text', s.text, 'images_1', s.images_1, 'images_2', s.images_2, 'send_order', s.send_order,
    'send_interval_seconds', s.send_interval_seconds, 'media_wait_1', s.media_wait_1, 'media_wait_2', s.media_wait_2),
  b.image_mode, s.template_id, :now
from pabal.message_schedule s join pabal.bot b on b.id = :bot_id where s.id = :schedule_id
returning id;

-- name: find_at(schedule_id, scheduled_at)
select id from pabal.delivery where schedule_id = :schedule_id and scheduled_at = :scheduled_at;

-- name: load_errand(id)
select d.id, d.unit_id, d.state, d.cause, d.scheduled_at, d.started_at, d.attempts, d.deferred_by, d.job_id, d.content, d.image_mode,
  coalesce((d.detail->>'resumed_at')::timestamptz, d.scheduled_at) as counts_from,
  s.id as schedule_id, s.unit_id as schedule_unit_id, s.state as schedule_state, s.late_policy, s.timetable_id,
  d.bot_id, b.name as bot_name, b.excluded_at, d.room_id, r.unit_id as room_unit_id, r.room_type, r.channel_id, rb.room_name,
  r.min_gap_seconds, r.dispatches_per_day, r.messages_per_minute, r.messages_per_hour, r.messages_per_day, r.max_text_length
from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id join pabal.bot b on b.id = d.bot_id
join pabal.room r on r.id = d.room_id left join pabal.room_bot rb on rb.room_id = d.room_id and rb.bot_id = d.bot_id
where d.id = :id;

-- name: start_errand(id, job_id, now)!
update pabal.delivery set started_at = coalesce(started_at, :now), attempts = attempts + 1, job_id = :job_id where id = :id;

-- name: defer_errand(id, job_id, deferred_by, deferred_until)!
update pabal.delivery set job_id = :job_id, deferred_by = :deferred_by, deferred_until = :deferred_until where id = :id;

-- name: set_job(id, job_id)!
update pabal.delivery set job_id = :job_id where id = :id;

-- name: note_error(id, entry)!
update pabal.delivery set detail = jsonb_set(detail, '{errors}', coalesce(detail->'errors', '[]') || :entry::jsonb) where id = :id;

-- name: end_errand(id, now, reason, detail)!
update pabal.delivery set ended_at = :now, reason = :reason, detail = detail || :detail::jsonb,
  -- a missed one took no time at all: least() alone would call nothing the longest
  duration_ms = case when started_at is not null then least(extract(epoch from :now::timestamptz - started_at) * 1000, 2147483647)::int end
where id = :id;

-- name: reopen_errand(id, asked_by, detail)!
-- its time counts anew
update pabal.delivery set asked_by = :asked_by, started_at = null, ended_at = null, duration_ms = null, reason = null,
  detail = (detail - 'dismissed_by') || :detail::jsonb
where id = :id;

-- name: dismiss_errand(id, detail)!
update pabal.delivery set detail = detail || :detail::jsonb where id = :id;

-- name: find_last_ping(bot_id)
select max(last_ping_at) from pabal.bot_device where bot_id = :bot_id;

-- name: note_end(id, is_sent, is_failed, now)
update pabal.message_schedule s set last_sent_at = case when :is_sent::boolean then :now else last_sent_at end,
  send_count = send_count + :is_sent::boolean::int,
  failures = case when :is_failed::boolean then failures + 1 when :is_sent::boolean then 0 else failures end
where s.id = :id
returning s.state, s.failures, s.schedule_type, s.timetable_id;

-- name: has_more(id, timetable_id, delivery_id, job_id)
-- a moment ahead, a send under way, or an occurrence that waits for its turn
select exists (select from pabal.schedule t where t.id = :timetable_id and t.next_at is not null)
  or exists (select from pabal.delivery d where d.schedule_id = :id and d.state = 'open' and d.cause <> 'test' and d.id <> :delivery_id)
  or exists (
    select from pabal.occurrence o
    where o.schedule_id = :timetable_id and o."end" is null and o.work_id > 0 and o.work_id is distinct from :job_id::bigint);

-- name: list_bots_in(room_id, bot_id)
-- the wanted one first, then those that are connected now
select b.id, b.name from pabal.room_bot rb join pabal.bot b on b.id = rb.bot_id
where rb.room_id = :room_id and b.excluded_at is null
order by b.id <> :bot_id, not exists (
  select from pabal.bot_device d join pabal.worker w on w.id = d.worker where d.bot_id = b.id and d.state = 'approved'), b.id;
