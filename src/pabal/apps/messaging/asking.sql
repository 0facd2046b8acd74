-- name: list_asking_devices(ids)
-- unit: by id, of devices that this commit holds
select d.id, d.unit_id, d.bot_id, case when d.state = 'approved' then coalesce(d.asks_from, d.address) else d.address end as address
from pabal.bot_device d where d.id = any(:ids::bigint[]) order by d.id;

-- name: list_asking_deliveries(ids)
-- unit: by id, of deliveries that this commit holds
select d.id, d.unit_id, d.schedule_id from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id
-- a bulk is looked at as a whole: one action sends what is missing of it
where d.id = any(:ids::bigint[]) and d.cause <> 'test' and d.bulk_id is null and s.late_policy <> 'skip'
  and d.state = 'missed' and d.detail ->> 'dismissed_by' is null order by d.id;

-- name: tell_devices(ids)
-- unit: by id, of approvals that were looked for in sight
select d.id, d.bot_id, b.name as bot_name, d.client_version, d.client_type, d.state, d.created_at
from pabal.bot_device d join pabal.bot b on b.id = d.bot_id where d.id = any(:ids::bigint[]);

-- name: tell_deliveries(ids)
-- unit: by id, of approvals that were looked for in sight
select d.id, d.state, d.reason, d.scheduled_at, s.title, r.name as room_name, b.name as bot_name,
  (select count(*)::int from pabal.delivery_part p where p.delivery_id = d.id) as parts
from pabal.delivery d join pabal.message_schedule s on s.id = d.schedule_id join pabal.room r on r.id = d.room_id
join pabal.bot b on b.id = d.bot_id where d.id = any(:ids::bigint[]);
