-- name: load_kettles(ids)
select id, unit_id, state, version from pabal.demo_kettle where id = any (:ids::bigint[]);

-- name: insert_kettle()
-- the second of two servers that start together waits here and then finds everything made
insert into pabal.demo_kettle (id) values (1) on conflict do nothing returning id;
