-- name: find_bot(id)
select b.id, b.unit_id, b.name, b.image_mode, b.secret is not null as has_secret, b.failures, b.excluded_at, b.excluded_by,
  b.excluded_reason, b.created_at
from pabal.bot b where b.id = :id;

-- name: find_by_name(name, units)
select b.id from pabal.bot b
where b.name = :name
  and (:units::bigint[] is null or b.unit_id = any(:units::bigint[])
    or exists (
      select from pabal.room_bot rb join pabal.room r on r.id = rb.room_id
      where rb.bot_id = b.id and r.unit_id = any(:units::bigint[])));

-- name: hold_device(id)
select d.id from pabal.bot_device d where d.id = :id for no key update;

-- name: hold_bot(id)
-- before the rows of its devices, whoever changes it
select b.id, b.unit_id, b.name, b.image_mode, b.secret is not null as has_secret, b.failures, b.excluded_at, b.excluded_by,
  b.excluded_reason, b.created_at
from pabal.bot b where b.id = :id for no key update;

-- name: is_usable(id, units)
-- whoever sees a room may use the bots that are in it
select exists (
  select from pabal.room_bot rb join pabal.room r on r.id = rb.room_id
  where rb.bot_id = :id and (:units::bigint[] is null or r.unit_id = any(:units::bigint[])));

-- name: list_bots(units, q, room_id, after, most)
select b.id, b.unit_id, b.name, b.image_mode, b.secret is not null as has_secret, b.failures, b.excluded_at, b.excluded_by,
  b.excluded_reason, b.created_at
from pabal.bot b
where (:units::bigint[] is null or b.unit_id = any(:units::bigint[])
    or exists (
      select from pabal.room_bot rb join pabal.room r on r.id = rb.room_id
      where rb.bot_id = b.id and r.unit_id = any(:units::bigint[])))
  and (:q::text is null or strpos(lower(b.name), lower(:q)) > 0)
  and (:room_id::bigint is null or exists (select from pabal.room_bot rb where rb.bot_id = b.id and rb.room_id = :room_id))
  and b.name > :after
order by b.name limit :most;

-- name: list_devices(bots)
-- connected is what is connected to a life that is not over
select d.id, d.unit_id, d.bot_id, b.name as bot_name, d.device_id, d.state, d.version, d.client_version, d.client_type, d.info,
  d.address, d.signature, w.id as worker, d.connected_at, d.last_ping_at, d.monitoring, d.decided_by, d.decided_at, d.created_at,
  d.networks, d.asks_from, w.id is not null and pabal.is_unproven(b, d) as is_unproven,
  case when d.state <> 'approved' or w.id is null or b.holder_id is null then null when b.holder_id = d.id then 'sends'
    when not pabal.is_unproven(b, d) then 'reserve' end as role
from pabal.bot_device d join pabal.bot b on b.id = d.bot_id
left join pabal.worker w on w.id = d.worker and w.until > pabal.real_now()
where d.bot_id = any(:bots::bigint[]) order by d.bot_id, d.id;

-- name: list_devices_in(units, state, most)
select d.id, d.unit_id, d.bot_id, b.name as bot_name, d.device_id, d.state, d.version, d.client_version, d.client_type, d.info,
  d.address, d.signature, w.id as worker, d.connected_at, d.last_ping_at, d.monitoring, d.decided_by, d.decided_at, d.created_at,
  d.networks, d.asks_from, w.id is not null and pabal.is_unproven(b, d) as is_unproven,
  case when d.state <> 'approved' or w.id is null or b.holder_id is null then null when b.holder_id = d.id then 'sends'
    when not pabal.is_unproven(b, d) then 'reserve' end as role
from pabal.bot_device d join pabal.bot b on b.id = d.bot_id
left join pabal.worker w on w.id = d.worker and w.until > pabal.real_now()
where (d.state = :state or :state = 'pending' and d.state = 'approved' and d.asks_from is not null)
  and (:units::bigint[] is null or d.unit_id = any(:units::bigint[])) order by d.id limit :most;

-- name: find_device(id)
select d.id, d.unit_id, d.bot_id, b.name as bot_name, d.device_id, d.state, d.version, d.client_version, d.client_type, d.info,
  d.address, d.signature, w.id as worker, d.connected_at, d.last_ping_at, d.monitoring, d.decided_by, d.decided_at, d.created_at,
  d.networks, d.asks_from, w.id is not null and pabal.is_unproven(b, d) as is_unproven,
  case when d.state <> 'approved' or w.id is null or b.holder_id is null then null when b.holder_id = d.id then 'sends'
    when not pabal.is_unproven(b, d) then 'reserve' end as role
from pabal.bot_device d join pabal.bot b on b.id = d.bot_id
left join pabal.worker w on w.id = d.worker and w.until > pabal.real_now()
where d.id = :id;

-- name: list_holders(routes)
-- of lives that are not over
select r.route, r.worker from pabal.route r join pabal.worker w on w.id = r.worker
where r.route = any(:routes::text[]) and w.until > pabal.real_now();

-- name: count_open(routes, most)
-- What waits for each: behind another in its lane, ready, or for its moment; at most so many are told. Whose it is comes before the
-- cap: what waits for others must not use it up.
select o.queue as route, least(count(*), :most)::int as open
from (
  select r.queue from pabal.ready r where r.queue = any(:routes::text[])
  union all
  select w.queue from (select id from pabal.waiting union all select id from pabal.delayed) p
  join pabal.work w on w.id = p.id and w.queue = any(:routes::text[]) and w.queue <> w.kind) o
group by o.queue;

-- name: list_servers()
select s.worker, s.host, s.port, s.active_bots, s.total_connections, s.memory_mb, s.cpu_percent, s.refused, s.started_at, s.at
from pabal.bot_server s join pabal.worker w on w.id = s.worker and w.until > pabal.real_now()
order by s.host, s.port;

-- name: update_decided(id, by, now)!
update pabal.bot_device set decided_by = :by, decided_at = :now where id = :id;

-- name: update_chosen(id, now)!
update pabal.bot_device set chosen_at = :now where id = :id;

-- name: update_networks(id, networks, asked_from)!
-- unless it has asked from elsewhere meanwhile
update pabal.bot_device set networks = :networks, asks_from = null
where id = :id and asks_from is not distinct from :asked_from;

-- name: update_secret(id, secret, salt, now)!
update pabal.bot set secret = :secret, salt = :salt, updated_at = :now where id = :id;

-- name: update_bot(id, image_mode, unit_id, now)!
update pabal.bot set image_mode = :image_mode, unit_id = :unit_id, updated_at = :now where id = :id;

-- name: update_devices_unit(bot_id, unit_id)!
update pabal.bot_device set unit_id = :unit_id where bot_id = :bot_id;

-- name: add_failure(id)
update pabal.bot set failures = failures + 1 where id = :id
returning failures, excluded_at is not null as is_excluded;

-- name: clear_failures(ids)!
update pabal.bot set failures = 0 where id = any(:ids::bigint[]) and failures > 0;

-- name: update_excluded(id, by, reason, now)!
update pabal.bot set excluded_at = :now, excluded_by = :by, excluded_reason = :reason, updated_at = :now where id = :id;

-- name: update_included(id, now)!
update pabal.bot set excluded_at = null, excluded_by = null, excluded_reason = null, failures = 0, updated_at = :now where id = :id;

-- name: list_excluded(by, until, most)
-- `skip locked`: every server looks, one brings each back
select b.id from pabal.bot b where b.excluded_by = :by and b.excluded_at <= :until order by b.id limit :most for no key update skip locked;
