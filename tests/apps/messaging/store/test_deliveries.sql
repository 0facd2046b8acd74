-- name: drop_room(id)!
update pabal.delivery set room_id = null where id = :id;

-- name: drop_all(id)!
delete from pabal.room where id = :id;
