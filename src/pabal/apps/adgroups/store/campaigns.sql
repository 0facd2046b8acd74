-- name: find_campaign(id)
select id, unit_id, state, name, start_at, end_at, created_at, updated_at from pabal.campaign where id = :id;

-- name: lock_campaign(id)
select id from pabal.campaign where id = :id for update;

-- name: list_campaigns(units, before_id, most)
select id, unit_id, state, name, start_at, end_at, created_at, updated_at from pabal.campaign
where id < :before_id and (:units::bigint[] is null or unit_id = any(:units::bigint[])) order by id desc limit :most;

-- name: find_named(units, name, most)
-- by the whole name; the newest first
select id, unit_id, state, name, start_at, end_at, created_at, updated_at from pabal.campaign
where name = :name and (:units::bigint[] is null or unit_id = any(:units::bigint[])) order by id desc limit :most;

-- name: insert_campaign(unit_id, name, state, start_at, end_at, created_by, now)
insert into pabal.campaign (unit_id, name, state, start_at, end_at, created_by, created_at, updated_at)
values (:unit_id, :name, :state, :start_at, :end_at, :created_by, :now, :now) returning id;

-- name: update_campaign(id, name, state, start_at, end_at, now)!
update pabal.campaign set name = :name, state = :state, start_at = :start_at, end_at = :end_at, updated_at = :now where id = :id;

-- name: list_inventories(units, before_id, most)
select id, unit_id, code, name, created_at from pabal.inventory
where id < :before_id and (:units::bigint[] is null or unit_id = any(:units::bigint[])) order by id desc limit :most;

-- name: find_inventories(ids, codes, units)
select id, unit_id, code, name, created_at from pabal.inventory
where (id = any(:ids::bigint[]) or code = any(:codes::text[])) and (:units::bigint[] is null or unit_id = any(:units::bigint[])) order by code;

-- name: insert_inventory(unit_id, code, name, now)
insert into pabal.inventory (unit_id, code, name, created_at) values (:unit_id, :code, :name, :now) on conflict (code) do nothing returning id;
