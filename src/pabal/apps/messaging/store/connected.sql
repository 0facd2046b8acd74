-- name: insert_bot(name, now)!
-- the same bot may call at two servers at once
insert into pabal.bot (name, created_at, updated_at) values (:name, :now, :now) on conflict (name) do nothing;

-- name: find_bot_named(name)
select b.id, b.unit_id, b.excluded_at, b.excluded_by, md5(b.secret || coalesce(b.salt, '')) as proof
from pabal.bot b where b.name = :name;

-- name: insert_device(bot_id, device_id, state, now)
insert into pabal.bot_device (unit_id, bot_id, device_id, state, version, created_at)
select b.unit_id, b.id, :device_id, :state, 1, :now from pabal.bot b where b.id = :bot_id
on conflict (bot_id, device_id) do nothing returning id;

-- name: count_pending(most)
select count(*)::int from (select from pabal.bot_device where state = 'pending' limit :most) c;

-- name: find_called(bot_id, device_id)
select d.id, d.state, d.networks from pabal.bot_device d where d.bot_id = :bot_id and d.device_id = :device_id;

-- name: update_connected(id, client_version, client_type, info, address, network, worker, now)!
-- approved before anybody noted where: then it is here
update pabal.bot_device set client_version = :client_version, client_type = :client_type, info = :info, address = :address,
  worker = :worker, connected_at = :now, last_ping_at = :now, signature = 'none',
  networks = case when state = 'approved' and networks = '{}' then array_remove(array[:network::text], null) else networks end
where id = :id;

-- name: update_asking(id, address)!
-- nothing else of it changes: whoever called may be somebody else
update pabal.bot_device set asks_from = :address where id = :id;

-- name: update_signed(device, signed_ms, network)!
-- of two that bring the same moment, one is newer
update pabal.bot_device set signed_ms = :signed_ms,
  networks = case when :network::text = any(networks) then networks
    else (networks || :network::text)[greatest(cardinality(networks) - 18, 1):] end
where id = :device and coalesce(signed_ms, 0) < :signed_ms;

-- name: list_approved()
select b.name, d.device_id from pabal.bot_device d join pabal.bot b on b.id = d.bot_id where d.state = 'approved';

-- name: update_moved(ids, worker)!
-- the same connections, under a new life
update pabal.bot_device set worker = :worker where id = any(:ids::bigint[]);

-- name: update_gone(id, worker)!
-- unless it is connected elsewhere by now
update pabal.bot_device set worker = null where id = :id and worker = :worker;

-- name: forget_gone(worker, here)!
-- the database was away when these left
update pabal.bot_device set worker = null where worker = :worker and id <> all(:here::bigint[]);

-- name: update_heard(ids, ages, monitorings, signatures, signed, worker, now)!
update pabal.bot_device d set last_ping_at = :now::timestamptz - h.age, monitoring = h.monitoring::jsonb, signature = h.signature,
  signed_ms = greatest(d.signed_ms, nullif(h.signed_ms, 0))
from unnest(:ids::bigint[], :ages::interval[], :monitorings::text[], :signatures::text[], :signed::bigint[])
  as h(id, age, monitoring, signature, signed_ms)
where d.id = h.id and d.worker = :worker;

-- name: list_seen(devices)
select d.id, d.state, d.worker, d.networks, b.unit_id, b.excluded_at is not null as is_excluded, md5(b.secret || coalesce(b.salt, '')) as proof,
  d.chosen_at is not null as is_chosen
from pabal.bot_device d join pabal.bot b on b.id = d.bot_id where d.id = any(:devices::bigint[]);

-- name: update_holder(bot_id, device)!
update pabal.bot set holder_id = :device where id = :bot_id;

-- name: clear_chosen(bot_id)!
update pabal.bot_device set chosen_at = null where bot_id = :bot_id and chosen_at is not null;

-- name: clear_holder(bot_id, device)!
-- unless another has it by now
update pabal.bot set holder_id = null where id = :bot_id and holder_id = :device;

-- name: list_routes(routes, worker)
select r.route, r.worker, r.epoch from pabal.route r where r.route = any(:routes::text[])
union select r.route, r.worker, r.epoch from pabal.route r where r.worker = :worker and r.route like 'bot:%';

-- name: list_busy(routes, worker)
select distinct l.queue from pabal.lease l where l.worker = :worker and l.queue = any(:routes::text[]);

-- name: find_secret(device)
select b.secret, b.salt, md5(b.secret || coalesce(b.salt, '')) as proof
from pabal.bot_device d join pabal.bot b on b.id = d.bot_id where d.id = :device and b.secret is not null;

-- name: upsert_server(worker, host, port, active_bots, total_connections, memory_mb, cpu_percent, refused, now)!
insert into pabal.bot_server (worker, host, port, active_bots, total_connections, memory_mb, cpu_percent, refused, started_at, at)
values (:worker, :host, :port, :active_bots, :total_connections, :memory_mb, :cpu_percent, :refused, :now, :now)
on conflict (worker) do update set active_bots = excluded.active_bots, total_connections = excluded.total_connections,
  memory_mb = excluded.memory_mb, cpu_percent = excluded.cpu_percent, refused = excluded.refused, at = excluded.at;

-- name: delete_dead_servers()!
delete from pabal.bot_server s where not exists (select from pabal.worker w where w.id = s.worker);
