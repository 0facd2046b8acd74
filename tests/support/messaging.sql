-- name: insert_bot(unit_id, name, image_mode)
insert into pabal.bot (unit_id, name, image_mode, created_at, updated_at)
values (:unit_id, :name, :image_mode, pabal.now(), pabal.now()) returning id;

-- name: insert_device(unit_id, bot_id, device_id, state)
insert into pabal.bot_device (unit_id, bot_id, device_id, state, version, client_version, created_at)
values (:unit_id, :bot_id, :device_id, :state, 1, '3.3.3', pabal.now()) returning id;

-- name: insert_room(unit_id, channel_id, name, room_type)
insert into pabal.room (unit_id, channel_id, name, room_type, created_at, updated_at)
values (:unit_id, :channel_id, :name, :room_type, pabal.now(), pabal.now()) returning id;

-- name: insert_room_bot(room_id, bot_id, room_name)!
insert into pabal.room_bot (room_id, bot_id, room_name, last_seen_at) values (:room_id, :bot_id, :room_name, pabal.now());

-- name: insert_schedule(unit_id, title, bot_id, room_id, content, schedule_type, schedule_date, schedule_time, valid_from, valid_until, late_policy)
insert into pabal.message_schedule (unit_id, state, version, title, created_by, bot_id, room_id, text, images_1, images_2, send_order,
  send_interval_seconds, media_wait_1, media_wait_2, schedule_type, schedule_date, schedule_time, zone, valid_from, valid_until,
  late_policy, created_at, updated_at)
select :unit_id, 'active', 1, :title, 'user:1', :bot_id, :room_id, c->>'text', c->'images_1', c->'images_2', c->>'send_order',
  (c->>'send_interval_seconds')::int, (c->>'media_wait_1')::int, (c->>'media_wait_2')::int,
  :schedule_type, :schedule_date, :schedule_time, 'Asia/Seoul', :valid_from, :valid_until, :late_policy, pabal.now(), pabal.now()
from (select :content::jsonb as c) given
returning id;

-- name: set_timetable(id, timetable_id)!
update pabal.message_schedule set timetable_id = :timetable_id where id = :id;

-- name: set_limit(room_id, min_gap_seconds, messages_per_minute)!
update pabal.room set min_gap_seconds = :min_gap_seconds, messages_per_minute = :messages_per_minute where id = :room_id;

-- name: set_max_text(room_id, most)!
update pabal.room set max_text_length = :most where id = :room_id;

-- name: find_timetable(id)
select timetable_id from pabal.message_schedule where id = :id;

-- name: read_schedule(id)
select state, last_sent_at, send_count, failures from pabal.message_schedule where id = :id;

-- name: read_counts()
select name, label, sum(count)::int as count from pabal.message_count group by name, label;

-- name: change_text(id, text)!
update pabal.message_schedule set text = :text where id = :id;

-- name: move_room(id, unit_id)!
update pabal.room set unit_id = :unit_id where id = :id;

-- name: leave_room(room_id, bot_id)!
delete from pabal.room_bot where room_id = :room_id and bot_id = :bot_id;

-- name: exclude_bot(id)!
update pabal.bot set excluded_at = pabal.now(), excluded_by = 'user:1', excluded_reason = 'test' where id = :id;

-- name: find_next(id)
select t.next_at from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id where s.id = :id;

-- name: lock_part(no)
select no from pabal.delivery_part where no = :no for update;

-- name: move_schedule(id, bot_id, room_id)!
update pabal.message_schedule set bot_id = :bot_id, room_id = :room_id where id = :id;

-- name: enter_room(room_id, bot_id)!
insert into pabal.room_bot (room_id, bot_id, room_name, last_seen_at) values (:room_id, :bot_id, '해운대 손님방', pabal.now());

-- name: ping(bot_id)!
update pabal.bot_device set last_ping_at = pabal.now() where bot_id = :bot_id;

-- name: cut_waiting()
select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock';

-- name: move_delivery(id, to)!
update pabal.delivery set scheduled_at = :to where id = :id;

-- name: is_excluded(id)
select excluded_at is not null from pabal.bot where id = :id;

-- name: list_indexes(table)
select indexname, indexdef from pg_indexes where schemaname = 'pabal' and tablename = :table;

-- name: purge_schedule(id)!
delete from pabal.message_schedule where id = :id;

-- name: set_tags(rooms, tags)!
update pabal.room set tags = :tags where id = any(:rooms::bigint[]);

-- name: set_image_mode(bot_id, image_mode)!
update pabal.bot set image_mode = :image_mode where id = :bot_id;

-- name: insert_many_rooms(unit_id, bot_id, count)!
with made as (
  insert into pabal.room (unit_id, channel_id, name, room_type, created_at, updated_at)
  select :unit_id, 'many' || n, 'many ' || n, 'production', pabal.now(), pabal.now() from generate_series(1, :count::int) as g(n) returning id, name)
insert into pabal.room_bot (room_id, bot_id, room_name, last_seen_at) select id, :bot_id, name, pabal.now() from made;
