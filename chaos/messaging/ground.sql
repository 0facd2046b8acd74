-- name: insert_bots(unit_id, names, devices)
-- their phones are approved, and connected nowhere yet
with made as (
  insert into pabal.bot (unit_id, name, created_at, updated_at)
  select :unit_id::bigint, g.name, pabal.now(), pabal.now() from unnest(:names::text[]) as g(name) returning id, name),
phones as (
  insert into pabal.bot_device (unit_id, bot_id, device_id, state, version, created_at)
  select :unit_id::bigint, m.id, g.device, 'approved', 1, pabal.now()
  from unnest(:names::text[], :devices::text[]) as g(name, device) join made m on m.name = g.name)
select id, name from made order by name;

-- name: insert_rooms(unit_id, bot_ids, channels, names)
-- one bot in each
with made as (
  insert into pabal.room (unit_id, channel_id, name, created_at, updated_at)
  select :unit_id::bigint, g.channel, g.name, pabal.now(), pabal.now() from unnest(:channels::text[], :names::text[]) as g(channel, name)
  returning id, channel_id, name),
entered as (
  insert into pabal.room_bot (room_id, bot_id, room_name, last_seen_at)
  select m.id, g.bot_id, m.name, pabal.now() from unnest(:bot_ids::bigint[], :channels::text[]) as g(bot_id, channel)
  join made m on m.channel_id = g.channel)
select id, channel_id from made;
