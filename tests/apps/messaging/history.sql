-- name: insert_deliveries(schedule_id, room_id, rows)
-- As they stand once they ended. The parts are one text and, where there are images, one part for each.
insert into pabal.delivery (unit_id, state, version, schedule_id, room_id, bot_id, scheduled_at, cause, is_catch_up, attempts, content, image_mode,
  template_id, started_at, ended_at, duration_ms, reason, detail, deferred_by, deferred_until, created_at)
select s.unit_id, g.state, 1, s.id, coalesce(:room_id, s.room_id), s.bot_id, g.scheduled_at, g.cause, g.is_catch_up, g.attempts,
  jsonb_build_object('text', s.text, 'images_1', s.images_1, 'images_2', s.images_2, 'send_order', s.send_order,
    'send_interval_seconds', s.send_interval_seconds, 'media_wait_1', 0, 'media_wait_2', 0), 'single',
  s.template_id, g.started_at, g.ended_at, g.duration_ms, g.reason, g.detail, g.deferred_by, g.deferred_until, g.scheduled_at
from jsonb_to_recordset(:rows::jsonb) as g(state text, scheduled_at timestamptz, cause text, is_catch_up boolean, attempts int, started_at timestamptz,
  ended_at timestamptz, duration_ms int, reason text, detail jsonb, deferred_by text, deferred_until timestamptz)
cross join pabal.message_schedule s where s.id = :schedule_id
returning id;

-- name: insert_parts(delivery_id, states)
-- the first part is the text, the others are images of the first group
-- written ones are from before phones confirmed what they handled
insert into pabal.delivery_part (delivery_id, no, component, from_image, to_image, state, began_at, written_at, receipt, handled_at)
select :delivery_id, n - 1, case when n = 1 then 'text' else 'images_1' end, case when n = 1 then 0 else n - 2 end, case when n = 1 then 0 else n - 1 end,
  case state when 'handled' then 'written' else state end,
  case when state <> 'planned' then pabal.now() end, case when state in ('written', 'handled') then pabal.now() end, state = 'handled',
  case when state = 'handled' then pabal.now() end
from unnest(:states::text[]) with ordinality as p(state, n);

-- name: insert_traffic(room_id, minute, messages)
insert into pabal.room_traffic (room_id, minute, messages) values (:room_id, date_trunc('minute', :minute::timestamptz), :messages);

-- name: insert_template(unit_id, name)
insert into pabal.message_template (unit_id, name, created_by, created_at, updated_at) values (:unit_id, :name, 'user:1', pabal.now(), pabal.now()) returning id;

-- name: set_template(schedule_id, template_id)
update pabal.message_schedule set template_id = :template_id where id = :schedule_id;

-- name: set_state(schedule_id, state)
update pabal.message_schedule set state = :state, failures = 3 where id = :schedule_id;

-- name: insert_server(worker, port, memory_mb, cpu_percent)
insert into pabal.bot_server (worker, host, port, active_bots, total_connections, memory_mb, cpu_percent, started_at, at)
values (:worker, 'gw-1', :port, 2, 3, :memory_mb, :cpu_percent, pabal.now(), pabal.now());
