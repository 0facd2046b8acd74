-- name: find_room(id)
select r.id, r.unit_id, r.channel_id, r.name, r.room_type, r.note, r.min_gap_seconds, r.dispatches_per_day, r.messages_per_minute,
  r.messages_per_hour, r.messages_per_day, r.max_text_length, r.last_message_at, r.claimed_by, r.created_at, r.updated_at, r.tags
from pabal.room r where r.id = :id;

-- name: find_by_channel(channel_id, units)
select r.id from pabal.room r
where r.channel_id = :channel_id and r.unit_id is not null and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]));

-- name: hold_room(id)
select r.id, r.unit_id, r.channel_id, r.name, r.room_type, r.note, r.min_gap_seconds, r.dispatches_per_day, r.messages_per_minute,
  r.messages_per_hour, r.messages_per_day, r.max_text_length, r.last_message_at, r.claimed_by, r.created_at, r.updated_at, r.tags
from pabal.room r where r.id = :id for no key update;

-- name: list_rooms(units, q, room_type, bot_id, tag, after_name, after_id, most)
-- claimed ones, by name
select r.id, r.unit_id, r.channel_id, r.name, r.room_type, r.note, r.min_gap_seconds, r.dispatches_per_day, r.messages_per_minute,
  r.messages_per_hour, r.messages_per_day, r.max_text_length, r.last_message_at, r.claimed_by, r.created_at, r.updated_at, r.tags
from pabal.room r
where r.unit_id is not null and (:units::bigint[] is null or r.unit_id = any(:units::bigint[]))
  and (:q::text is null or strpos(lower(r.name), lower(:q)) > 0 or r.channel_id = :q
    or exists (select from pabal.room_bot rb where rb.room_id = r.id and strpos(lower(rb.room_name), lower(:q)) > 0))
  and (:room_type::text is null or r.room_type = :room_type)
  and (:bot_id::bigint is null or exists (select from pabal.room_bot rb where rb.room_id = r.id and rb.bot_id = :bot_id))
  and (:tag::text is null or r.tags @> array[:tag::text])
  and (r.name, r.id) > (:after_name::text, :after_id::bigint)
order by r.name, r.id limit :most;

-- name: list_named(units, is_all, name, most)
-- by name or channel id; what nobody claimed only for whoever sees all
select r.id, r.unit_id, r.channel_id, r.name, r.room_type, r.note, r.min_gap_seconds, r.dispatches_per_day, r.messages_per_minute,
  r.messages_per_hour, r.messages_per_day, r.max_text_length, r.last_message_at, r.claimed_by, r.created_at, r.updated_at, r.tags
from pabal.room r
where (r.name = :name or r.channel_id = :name)
  and case when r.unit_id is null then :is_all::boolean else :units::bigint[] is null or r.unit_id = any(:units::bigint[]) end
order by r.unit_id is null, r.name, r.id limit :most;

-- name: list_unclaimed(before, most)
-- newest first
select r.id, r.unit_id, r.channel_id, r.name, r.room_type, r.note, r.min_gap_seconds, r.dispatches_per_day, r.messages_per_minute,
  r.messages_per_hour, r.messages_per_day, r.max_text_length, r.last_message_at, r.claimed_by, r.created_at, r.updated_at, r.tags
from pabal.room r where r.unit_id is null and r.id < :before order by r.id desc limit :most;

-- name: list_room_bots(rooms)
-- unit: of rooms already found, compared with one another
select rb.room_id, rb.bot_id, b.name as bot_name, rb.room_name, rb.last_seen_at,
  exists (
    select from pabal.room_bot o join pabal.room x on x.id = o.room_id
    where o.bot_id = rb.bot_id and normalize(o.room_name, NFC) = normalize(rb.room_name, NFC) and o.room_id <> rb.room_id
      and x.unit_id is distinct from r.unit_id) as is_held, rb.turn
from pabal.room_bot rb join pabal.bot b on b.id = rb.bot_id join pabal.room r on r.id = rb.room_id
where rb.room_id = any(:rooms::bigint[]) order by rb.room_id, rb.turn nulls last, b.name;

-- name: hold_bots(ids)
-- whoever gives a room a name on a bot holds that bot: of two who do so at once, the second sees the first
select b.id from pabal.bot b where b.id = any(:ids::bigint[]) order by b.id for no key update;

-- name: list_namesakes(bots, names, but)
-- The rooms that these bots call so; the room `but` left out. Composed and decomposed letters are one name: a phone may report either.
select distinct r.id as room_id, r.unit_id, r.name, b.id as bot_id, b.name as bot_name
from unnest(:bots::bigint[], :names::text[]) as g(bot_id, name)
join pabal.room_bot o on o.bot_id = g.bot_id and normalize(o.room_name, NFC) = normalize(g.name, NFC)
join pabal.room r on r.id = o.room_id join pabal.bot b on b.id = o.bot_id
where r.id <> :but
order by r.id, b.id;

-- name: delete_room_bot(room_id, bot_id)!
delete from pabal.room_bot where room_id = :room_id and bot_id = :bot_id;

-- name: insert_room(unit_id, channel_id, name, room_type, by, now)
insert into pabal.room (unit_id, channel_id, name, room_type, claimed_by, created_at, updated_at)
values (:unit_id, :channel_id, :name, :room_type, :by, :now, :now)
on conflict (channel_id) do nothing returning id;

-- name: update_room(id, unit_id, name, room_type, note, min_gap_seconds, dispatches_per_day, messages_per_minute, messages_per_hour, messages_per_day, max_text_length, claimed_by, tags, now)!
update pabal.room set unit_id = :unit_id, name = :name, room_type = :room_type, note = :note, min_gap_seconds = :min_gap_seconds,
  dispatches_per_day = :dispatches_per_day, messages_per_minute = :messages_per_minute, messages_per_hour = :messages_per_hour,
  messages_per_day = :messages_per_day, max_text_length = :max_text_length, claimed_by = :claimed_by, tags = :tags, updated_at = :now
where id = :id;

-- name: list_dependants(room_id, bot_id)
-- That are not over: of a room, of a bot, or of a bot in a room. Of many rooms each has a bot of its own choosing.
select s.id, s.unit_id, s.title from pabal.message_schedule s
where s.state in ('active', 'inactive', 'error')
  and (:bot_id::bigint is null or s.bot_id = :bot_id and not exists (select from pabal.message_audience a where a.schedule_id = s.id))
  and (:room_id::bigint is null or s.room_id = :room_id
    or exists (select from pabal.message_audience_room t where t.schedule_id = s.id and t.room_id = :room_id))
order by s.title, s.id;

-- name: set_turns(room_id, bots)!
update pabal.room_bot rb set turn = (select g.n from unnest(:bots::bigint[]) with ordinality as g(bot_id, n) where g.bot_id = rb.bot_id)
where rb.room_id = :room_id;

-- name: insert_seen(channels, names, now)
-- what nobody has claimed is called as it was called last
insert into pabal.room (channel_id, name, created_at, updated_at)
select s.channel_id, s.name, :now, :now from unnest(:channels::text[], :names::text[]) as s(channel_id, name) order by s.channel_id
on conflict (channel_id) do update set name = excluded.name, updated_at = excluded.updated_at
  where pabal.room.unit_id is null and pabal.room.name <> excluded.name
returning id, channel_id, name, created_at = :now::timestamptz as is_new;

-- name: upsert_room_bots(channels, bots, names, now)!
insert into pabal.room_bot (room_id, bot_id, room_name, last_seen_at)
select r.id, b.id, s.name, :now from unnest(:channels::text[], :bots::bigint[], :names::text[]) as s(channel_id, bot_id, name)
join pabal.room r on r.channel_id = s.channel_id join pabal.bot b on b.id = s.bot_id
order by r.id, b.id
on conflict (room_id, bot_id) do update set room_name = excluded.room_name, last_seen_at = excluded.last_seen_at;

-- name: count_messages(channels, counts, now)
-- the room's own row says so too, once a minute
with counted as (
  insert into pabal.room_traffic (room_id, minute, messages)
  select r.id, date_trunc('minute', :now::timestamptz), s.count
  from unnest(:channels::text[], :counts::int[]) as s(channel_id, count) join pabal.room r on r.channel_id = s.channel_id
  order by r.id
  on conflict (room_id, minute) do update set messages = pabal.room_traffic.messages + excluded.messages
  returning room_id, xmax = 0 as is_first),
noted as (
  update pabal.room r set last_message_at = :now from counted c where c.is_first and r.id = c.room_id)
select r.channel_id from counted c join pabal.room r on r.id = c.room_id;

-- name: list_traffic(room_id, since, until)
select t.minute, t.messages from pabal.room_traffic t
where t.room_id = :room_id and t.minute >= :since and t.minute < :until order by t.minute;
