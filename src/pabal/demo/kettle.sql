-- name: load_kettles(ids)
select id, unit_id, state, version from pabal.demo_kettle where id = any (:ids::bigint[]);

-- name: insert_kettles()
-- one in each branch of the demo's organisation, by the branch's number: histories stay when the demo goes, so that no
-- number may come again
insert into pabal.demo_kettle (id, unit_id)
select u.id, u.id from pabal.unit u where u.is_demo and u.level = 'branch'
on conflict do nothing returning id;

-- name: list_kettles()
select id, unit_id, state, version from pabal.demo_kettle order by id;

-- name: delete_kettles()!
delete from pabal.demo_kettle;
