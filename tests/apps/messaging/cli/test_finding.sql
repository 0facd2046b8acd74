-- name: add_exact(unit_id)!
with
  bot as (insert into pabal.bot (unit_id, name, created_at, updated_at) values (:unit_id, '공지', pabal.now(), pabal.now())),
  schedule as (
    insert into pabal.message_schedule (unit_id, state, title, created_by, bot_id, room_id, schedule_type, schedule_time, zone, valid_from,
      valid_until, created_at, updated_at)
    select unit_id, state, '공지', created_by, bot_id, room_id, schedule_type, schedule_time, zone, valid_from, valid_until, created_at, updated_at
    from pabal.message_schedule where title = '원본')
insert into pabal.message_template (unit_id, name, created_by, created_at, updated_at) values (:unit_id, '공지', 'test', pabal.now(), pabal.now());

-- name: add_partial(n)!
-- what is listed before the exact one: sooner, newer, or earlier in the alphabet
with
  number as (select ' 공지 ' || g as name, g from generate_series(1, :n::int) g),
  bots as (
    insert into pabal.bot (unit_id, name, created_at, updated_at)
    select b.unit_id, n.name, b.created_at, b.updated_at from pabal.bot b, number n where b.name = '공지'),
  templates as (
    insert into pabal.message_template (unit_id, name, created_by, created_at, updated_at)
    select t.unit_id, n.name, t.created_by, t.created_at, t.updated_at from pabal.message_template t, number n where t.name = '공지'),
  rooms as (
    insert into pabal.room (unit_id, channel_id, name, created_at, updated_at)
    select r.unit_id, r.channel_id || '-' || n.g, case r.name when '공지' then n.name else r.name || n.g end, r.created_at, r.updated_at
    from pabal.room r, number n where r.name in ('공지', '새 방'))
insert into pabal.message_schedule (unit_id, state, title, created_by, bot_id, room_id, schedule_type, schedule_time, zone, valid_from, valid_until,
  created_at, updated_at)
select s.unit_id, s.state, n.name, s.created_by, s.bot_id, s.room_id, s.schedule_type, s.schedule_time, s.zone, s.valid_from, s.valid_until,
  s.created_at, s.updated_at
from pabal.message_schedule s, number n where s.title = '공지';
