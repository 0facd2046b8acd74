-- name: find_hq()
select id from pabal.unit where level = 'hq';

-- name: insert_hq(name, now)!
-- two servers may start at once
insert into pabal.unit (level, name, created_at) values ('hq', :name, :now) on conflict (level) where level = 'hq' do nothing;

-- name: get_unit(id)
select id, parent_id, level, name, is_demo, created_at from pabal.unit where id = :id;

-- name: list_units(units)
with recursive tree as (
  select id, array[row_number() over (order by name, id)] as place from pabal.unit where parent_id is null
  union all
  select u.id, t.place || row_number() over (partition by u.parent_id order by u.name, u.id)
  from pabal.unit u join tree t on u.parent_id = t.id)
select u.id, u.parent_id, u.level, u.name, u.is_demo, u.created_at from tree t join pabal.unit u on u.id = t.id
where :units::bigint[] is null or u.id = any(:units::bigint[]) order by t.place;

-- name: list_path(id)
with recursive above as (
  select id, parent_id, 0 as up from pabal.unit where id = :id
  union all
  select u.id, u.parent_id, a.up + 1 from pabal.unit u join above a on u.id = a.parent_id)
select u.id, u.parent_id, u.level, u.name, u.is_demo, u.created_at from above a join pabal.unit u on u.id = a.id order by a.up desc;

-- name: list_subtree(id)
with recursive below as (
  select id from pabal.unit where id = :id
  union all
  select u.id from pabal.unit u join below b on u.parent_id = b.id)
select id from below order by id;

-- name: list_subtrees(ids)
with recursive below as (
  select g.id as root, g.id from unnest(:ids::bigint[]) as g(id)
  union all
  select b.root, u.id from pabal.unit u join below b on u.parent_id = b.id)
select root, id from below order by root, id;

-- name: insert_unit(parent_id, level, name, is_demo, now)
insert into pabal.unit (parent_id, level, name, is_demo, created_at) values (:parent_id, :level, :name, :is_demo, :now) returning id;

-- name: update_unit(id, parent_id, name)!
update pabal.unit set parent_id = :parent_id, name = :name where id = :id;

-- name: delete_unit(id)!
delete from pabal.unit where id = :id;

-- name: hold_unit(id)!
select id from pabal.unit where id = :id for update;
