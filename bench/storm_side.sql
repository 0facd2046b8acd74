-- name: create_table#
create schema bench;
create table bench.door (
  id bigint generated always as identity primary key, unit_id bigint, state text not null, version bigint not null, opens_at timestamptz not null);

-- name: insert_doors(count)!
insert into bench.door (unit_id, state, version, opens_at)
select 7, 'waiting', 1, pabal.now() - interval '1 second' from generate_series(1, :count::int);

-- name: insert_history()!
insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, at)
select 'door', id, 1, 'begin', null, 'waiting', unit_id, 'bench', pabal.now() from bench.door;

-- name: insert_timers()!
insert into pabal.timer (machine, subject, event, due_at) select 'door', id, 'unlock', opens_at from bench.door;

-- name: load_doors(ids)
select id, unit_id, state, version, opens_at from bench.door where id = any (:ids::bigint[]);

-- name: open_doors()!
-- The baseline: one statement, set-based, the same rows in the same tables with the same indexes.
with due as (
  delete from pabal.timer where machine = 'door' and due_at <= pabal.now() returning subject, event),
moved as (
  update bench.door d set state = 'open', version = d.version + 1 from due
  where d.id = due.subject and d.state = 'waiting' and d.opens_at <= pabal.now()
  returning d.id, d.unit_id, d.version, due.event),
told as (
  insert into pabal.fact (name, subject, unit_id, at, data)
  select 'door.open', 'door:' || id, unit_id, pabal.now(), jsonb_build_object('event', event, 'source', 'waiting',
    'target', 'open', 'version', version, 'actor', 'engine', 'reason', 'timer', 'cause', null) from moved)
insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, at)
select 'door', id, version, event, 'waiting', 'open', unit_id, 'engine', 'timer', pabal.now() from moved;

-- name: count_written()
select (select count(*) from bench.door where state = 'open' and version = 2) as moved,
       (select count(*) from pabal.transition where version = 2) as history,
       (select count(*) from pabal.fact) as facts, (select count(*) from pabal.timer) as timers;
