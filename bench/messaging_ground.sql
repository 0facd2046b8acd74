-- name: insert_bots(unit_id, names, devices)
-- their phones are approved, and connected nowhere yet
with made as (
  insert into pabal.bot (unit_id, name, created_at, updated_at)
  select :unit_id::bigint, g.name, pabal.now(), pabal.now() from unnest(:names::text[]) as g(name) returning id, name),
phones as (
  insert into pabal.bot_device (unit_id, bot_id, device_id, state, version, created_at)
  select :unit_id::bigint, m.id, g.device, 'approved', 1, pabal.now()
  from unnest(:names::text[], :devices::text[]) as g(name, device) join made m on m.name = g.name)
select id from made order by name;

-- name: insert_rooms(unit_id, bot_ids, each)
-- so many for each bot, and no other bot in them
with given as materialized (
  select b.id as bot_id, 'room-' || b.id || '-' || n as channel_id from unnest(:bot_ids::bigint[]) as b(id) cross join generate_series(1, :each::int) n),
made as (
  insert into pabal.room (unit_id, channel_id, name, created_at, updated_at)
  select :unit_id::bigint, channel_id, channel_id, pabal.now(), pabal.now() from given returning id, channel_id, name),
entered as (
  insert into pabal.room_bot (room_id, bot_id, room_name, last_seen_at)
  select m.id, g.bot_id, m.name, pabal.now() from made m join given g on g.channel_id = m.channel_id)
select m.id as room_id, g.bot_id from made m join given g on g.channel_id = m.channel_id;

-- name: count_routes()
-- bots that can be sent to
select count(*)::int from pabal.route;

-- name: count_deliveries()
-- how many there are of each state
select state, count(*)::int as count from pabal.delivery group by state;
