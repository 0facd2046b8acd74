-- name: list_items(units, before, most)
-- newest first; an id carries its moment
select i.id, i.unit_id, i.what, i.found_at, i.fetched_at
from lostfound.item i
where i.id < :before and (:units::bigint[] is null or i.unit_id = any(:units::bigint[]))
order by i.id desc
limit :most;

-- name: list_waiting(units, until, most)
select i.id, i.unit_id, i.what, i.found_at, i.fetched_at
from lostfound.item i
where i.fetched_at is null and i.found_at <= :until
  and (:units::bigint[] is null or i.unit_id = any(:units::bigint[]))
order by i.found_at
limit :most;

-- name: find_item(id)
select id, unit_id, what, found_at, fetched_at from lostfound.item where id = :id;

-- name: hold_item(id)
select id, unit_id, what, found_at, fetched_at from lostfound.item where id = :id for update;

-- name: insert_item(unit_id, what, now)
insert into lostfound.item (unit_id, what, found_at) values (:unit_id, :what, :now)
returning id, unit_id, what, found_at, fetched_at;

-- name: update_fetched(id, now)!
update lostfound.item set fetched_at = :now where id = :id;

-- name: list_oldest()
select unit_id, min(found_at) as found_at from lostfound.item where fetched_at is null group by unit_id;

-- name: insert_demo(what, now)!
insert into lostfound.item (unit_id, what, found_at)
select u.id, :what, :now from pabal.unit u where u.is_demo and u.level = 'branch';

-- name: delete_demo()!
delete from lostfound.item i using pabal.unit u where u.id = i.unit_id and u.is_demo;
