-- name: load_audiences(schedules)
select a.schedule_id, a.group_id, a.rooms_csv, a.share_bots, a.spread_minutes, a.window_minutes
from pabal.message_audience a where a.schedule_id = any(:schedules::bigint[]);

-- name: load_targets(schedules)
select t.schedule_id, t.room_id, t.columns, t.is_picked from pabal.message_audience_room t
where t.schedule_id = any(:schedules::bigint[]) order by t.schedule_id, t.no;

-- name: put_audience(schedule_id, group_id, rooms_csv, share_bots, spread_minutes, window_minutes)!
insert into pabal.message_audience (schedule_id, group_id, rooms_csv, share_bots, spread_minutes, window_minutes)
values (:schedule_id, :group_id, :rooms_csv, :share_bots, :spread_minutes, :window_minutes)
on conflict (schedule_id) do update set group_id = excluded.group_id, rooms_csv = excluded.rooms_csv, share_bots = excluded.share_bots,
  spread_minutes = excluded.spread_minutes, window_minutes = excluded.window_minutes;

-- name: delete_audience(schedule_id)!
delete from pabal.message_audience where schedule_id = :schedule_id;

-- name: delete_targets(schedule_id)!
delete from pabal.message_audience_room where schedule_id = :schedule_id;

-- name: insert_targets(schedule_id, rooms, columns, picked)!
insert into pabal.message_audience_room (schedule_id, room_id, no, is_picked, columns)
select :schedule_id, g.room_id, g.n, g.is_picked, g.columns
from unnest(:rooms::bigint[], :columns::jsonb[], :picked::boolean[]) with ordinality as g(room_id, columns, is_picked, n);

-- name: list_rooms(ids)
-- unit: of rooms named by a schedule or a group, whose owners are looked at by the caller
select r.id, r.name, r.unit_id, coalesce(u.name, '') as unit_name, r.channel_id, r.room_type, r.min_gap_seconds, r.dispatches_per_day, r.messages_per_minute,
  r.messages_per_hour, r.messages_per_day, r.max_text_length
from pabal.room r left join pabal.unit u on u.id = r.unit_id where r.id = any(:ids::bigint[]);

-- name: list_group_rooms(groups, room_types, tags, owners, units, most)
-- unit: below that of each group; `units` are of the group in the same place of `owners`
select g.id as group_id, r.id from unnest(:groups::bigint[], :room_types::text[], :tags::text[]) as g(id, room_type, tag)
cross join lateral (
  select r.id, r.name from unnest(:owners::bigint[], :units::bigint[]) as u(group_id, unit_id) join pabal.room r on r.unit_id = u.unit_id
  where u.group_id = g.id and (g.room_type is null or r.room_type = g.room_type) and (g.tag is null or r.tags @> array[g.tag])
  order by r.name, r.id limit :most) r
order by g.id, r.name, r.id;

-- name: list_speakers(rooms)
select rb.room_id, rb.bot_id, b.name as bot_name, rb.turn, b.excluded_at is not null as is_excluded
from pabal.room_bot rb join pabal.bot b on b.id = rb.bot_id where rb.room_id = any(:rooms::bigint[]) order by rb.room_id, b.name;

-- name: find_named_rooms(units, is_all, names)
select g.name as asked, r.id, r.channel_id = g.name as is_channel from unnest(:names::text[]) as g(name)
join pabal.room r on r.channel_id = g.name or r.name = g.name
where case when r.unit_id is null then :is_all::boolean else :units::bigint[] is null or r.unit_id = any(:units::bigint[]) end
order by r.id;
