-- name: create_rooms#
create table rooms (name text primary key, facts jsonb not null);

-- name: insert_room(name, facts)!
insert into rooms (name, facts) values (:name, :facts);

-- name: add_room(name, facts)
insert into rooms (name, facts) values (:name, :facts) on conflict do nothing returning name;

-- name: list_rooms()
select name, facts from rooms order by name;

-- name: find_room(name)
select name, facts from rooms where name = :name;

-- name: read_moments()
select pabal.now();
