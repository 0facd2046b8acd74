-- name: insert_heartbeat(unit_id, name, cron, every_seconds, zone, grace_seconds)
insert into rules.heartbeat (unit_id, name, cron, every_seconds, zone, grace_seconds)
values (:unit_id, :name, :cron, :every_seconds, :zone, :grace_seconds) returning id;

-- name: update_heartbeat(id, name, cron, every_seconds, zone, grace_seconds, due_at)!
update rules.heartbeat set name = :name, cron = :cron, every_seconds = :every_seconds, zone = :zone,
  grace_seconds = :grace_seconds, due_at = :due_at
where id = :id;

-- name: delete_heartbeat(id)!
delete from rules.heartbeat where id = :id;

-- name: replace_key(id)!
update rules.heartbeat set key = gen_random_uuid() where id = :id;

-- name: hold_heartbeat(id)
select id, unit_id, key, name, cron, every_seconds, zone, grace_seconds, state, version, reported_at, started_at, due_at, created_at
from rules.heartbeat where id = :id for no key update;

-- name: hold_by_key(key)
select id, unit_id, key, name, cron, every_seconds, zone, grace_seconds, state, version, reported_at, started_at, due_at, created_at
from rules.heartbeat where key = :key for no key update;

-- name: load_heartbeats(ids)
select id, unit_id, key, name, cron, every_seconds, zone, grace_seconds, state, version, reported_at, started_at, due_at, created_at
from rules.heartbeat where id = any(:ids::bigint[]) order by id;

-- name: find_named(name, units, most)
select id from rules.heartbeat
where name = :name and (:units::bigint[] is null or unit_id = any(:units::bigint[])) order by id desc limit :most;

-- name: list_heartbeats(units, states, q, before, most)
select id, unit_id, key, name, cron, every_seconds, zone, grace_seconds, state, version, reported_at, started_at, due_at, created_at
from rules.heartbeat
where id < :before and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
  and (:states::text[] is null or state = any(:states::text[]))
  and (:q::text is null or strpos(lower(name), lower(:q)) > 0)
order by id desc limit :most;

-- name: count_states(units)
select state, count(*)::int as number from rules.heartbeat
where :units::bigint[] is null or unit_id = any(:units::bigint[]) group by state;

-- name: list_down(most)
select id, unit_id, name from rules.heartbeat where state = 'down' order by id limit :most;

-- name: note_report(id, reported_at, due_at)!
update rules.heartbeat set reported_at = :reported_at, due_at = :due_at, started_at = null where id = :id;

-- name: note_start(id, started_at)!
update rules.heartbeat set started_at = :started_at where id = :id;

-- name: keep_report(heartbeat_id, kind, at, took, exit_code, origin, body, most)!
-- and lets go of the one that is too many: each report brings one, so that one is enough
with kept as (
  insert into rules.heartbeat_report (heartbeat_id, kind, at, took, exit_code, origin, body)
  values (:heartbeat_id, :kind, :at, :took, :exit_code, :origin, :body))
delete from rules.heartbeat_report where id in (
  select id from rules.heartbeat_report where heartbeat_id = :heartbeat_id order by id desc offset :most - 1);

-- name: list_reports(heartbeat_id, most)
select id, heartbeat_id, kind, at, took, exit_code, origin, body from rules.heartbeat_report
where heartbeat_id = :heartbeat_id order by id desc limit :most;

-- name: list_of_units(units)
select id from rules.heartbeat where unit_id = any(:units::bigint[]) order by id;
