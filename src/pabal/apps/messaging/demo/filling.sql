-- name: find_place(name)
select r.id as room_id, b.bot_id from pabal.room r join pabal.room_bot b on b.room_id = r.id
where r.name = :name and r.channel_id like 'demo-%' order by b.bot_id limit 1;

-- name: has_painted(title)
select exists (
  select from pabal.message_schedule s join pabal.room r on r.id = s.room_id
  where s.title = :title and r.channel_id like 'demo-%' and s.deleted_at is null);

-- name: has_demo_rooms()
select exists (select from pabal.room where channel_id like 'demo-%' and unit_id is not null);

-- name: list_demo_schedules()
-- unit: all of the demo's, whoever asks
select s.id from pabal.message_schedule s join pabal.room r on r.id = s.room_id
where r.channel_id like 'demo-%' or s.unit_id in (select id from pabal.unit where is_demo) order by s.id;

-- name: delete_demo_groups()!
-- unit: all of the demo's, whoever asks
delete from pabal.room_group where unit_id in (select id from pabal.unit where is_demo);

-- name: delete_demo_templates()!
-- unit: all of the demo's, whoever asks
delete from pabal.message_template where unit_id in (select id from pabal.unit where is_demo);

-- name: delete_demo_rooms()!
-- unit: all of the demo's, whoever asks
delete from pabal.room r where (r.channel_id like 'demo-%' or r.unit_id in (select id from pabal.unit where is_demo))
  and not exists (select from pabal.delivery d where d.room_id = r.id);

-- name: list_demo_devices(names)
-- unit: all of the demo's, whoever asks
select d.id from pabal.bot_device d join pabal.bot b on b.id = d.bot_id
where b.name = any(:names::text[]) or b.unit_id in (select id from pabal.unit where is_demo);

-- name: list_just_missed(title)
-- unit: all of the demo's, whoever asks
select d.id from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id
where s.title = :title and d.state = 'missed' and s.unit_id in (select id from pabal.unit where is_demo) order by d.scheduled_at desc limit 1;

-- name: delete_demo_bots(names)!
-- unit: all of the demo's, whoever asks
delete from pabal.bot b where (b.name = any(:names::text[]) or b.unit_id in (select id from pabal.unit where is_demo))
  and not exists (select from pabal.delivery d where d.bot_id = b.id);

-- name: insert_past(now, missed)!
-- unit: all of the demo's, whoever asks
-- Four weeks of sends that ended, so that the statistics have something to show: mostly sent, some late, few not.
insert into pabal.delivery (unit_id, state, version, schedule_id, room_id, bot_id, scheduled_at, cause, attempts, content, image_mode,
  started_at, ended_at, duration_ms, reason, created_at)
select s.unit_id, e.state, 0, s.id, s.room_id, s.bot_id, d.at, 'schedule', 1,
  pabal.message_content(s), 'single',
  case when e.state <> 'missed' then d.at + make_interval(secs => 0.1 + (d.n * 7 % 40) / 100.0) end,
  d.at + case when e.state = 'missed' then interval '300 s' else make_interval(secs => 0.2 + (d.n * 7 % 40) / 100.0) end,
  case when e.state <> 'missed' then 80 + d.n * 13 % 400 end,
  case e.state when 'missed' then 'bot_offline' when 'failed' then 'bot_error' end, d.at
from pabal.message_schedule s
cross join lateral (
  select n, date_trunc('day', :now::timestamptz, s.zone) - make_interval(days => n) + (s.schedule_time - time '00:00')
    as at from generate_series(1, 28) n) d
cross join lateral (
  select case when d.n = 1 and s.title = :missed then 'missed' when s.state = 'error' and d.n <= s.failures then 'failed' when (d.n * 31 + s.id) % 17 = 0 then 'missed' when (d.n * 29 + s.id) % 23 = 0 then 'failed' else 'sent' end as state) e
where s.unit_id in (select id from pabal.unit where is_demo) and s.schedule_type <> 'once'
  and (s.schedule_weekdays = '{}' or extract(isodow from d.at at time zone s.zone)::int - 1 = any(s.schedule_weekdays))
order by d.at, s.id;

-- name: count_past()!
-- unit: all of the demo's, whoever asks
update pabal.message_schedule s set send_count = d.times, last_sent_at = d.last
from (select schedule_id, count(*) as times, max(started_at) as last from pabal.delivery where version = 0 and state = 'sent' group by 1) d
where s.id = d.schedule_id;

-- name: set_failures(schedule_id, failures)!
-- unit: the demo's own
update pabal.message_schedule set failures = :failures::int where id = :schedule_id;

-- name: insert_past_parts()!
insert into pabal.delivery_part (delivery_id, no, component, state, began_at, written_at, receipt, handled_at)
select d.id, 0, 'text', case d.state when 'sent' then 'written' else 'planned' end,
  case when d.state = 'sent' then d.started_at end, case when d.state = 'sent' then d.ended_at end, d.state = 'sent',
  case when d.state = 'sent' then d.ended_at end
from pabal.delivery d where d.version = 0 and d.content->>'text' is not null;

-- name: insert_traffic(now)!
insert into pabal.room_traffic (room_id, minute, messages)
select r.id, m.at, 1 + (extract(epoch from m.at)::bigint / 60 + r.id * 7) % 5
from pabal.room r cross join generate_series(date_trunc('hour', :now::timestamptz) - interval '14 days', :now::timestamptz, interval '17 minutes') as m(at)
where r.channel_id like 'demo-%' and extract(hour from m.at at time zone 'Asia/Seoul') between 8 and 22;
