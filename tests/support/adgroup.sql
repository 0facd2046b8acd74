-- name: create_table#
create schema if not exists example;
create table example.ad_group (
  id bigint generated always as identity primary key, unit_id bigint, state text not null default 'draft', version bigint not null default 1,
  has_creatives boolean not null default true, start_at timestamptz not null, end_at timestamptz not null,
  day_from time, day_until time, note text check (note <> 'poison'));
create table example.airing (seq bigint generated always as identity primary key, ad_group bigint not null, state text not null);

-- name: create_gate#
-- Reading a row through this view waits while somebody holds the lock 42: so a test can stop a statement halfway.
create function example.gate() returns boolean language plpgsql as
  'begin perform pg_advisory_xact_lock_shared(42); return true; end';
create view example.gated_ad_group as select * from example.ad_group where example.gate();

-- name: close_gate()
select pg_advisory_xact_lock(42);

-- name: insert_groups(count, unit_id, start_at, end_at, day_from, day_until)
insert into example.ad_group (unit_id, start_at, end_at, day_from, day_until)
select :unit_id::bigint, :start_at::timestamptz, :end_at::timestamptz, :day_from::time, :day_until::time
from generate_series(1, :count::int) returning id;

-- name: load_groups(ids)
select id, unit_id, state, version, has_creatives, start_at, end_at, day_from, day_until, note from example.ad_group
where id = any (:ids::bigint[]);

-- name: edit_group(id, start_at, end_at)!
update example.ad_group set start_at = :start_at, end_at = :end_at where id = :id;

-- name: set_note(id, note)!
update example.ad_group set note = :note where id = :id;

-- name: delete_group(id)!
delete from example.ad_group where id = :id;

-- name: insert_airings(ids, state)!
insert into example.airing (ad_group, state) select unnest(:ids::bigint[]), :state::text;

-- name: poison_notes(ids)!
update example.ad_group set note = 'poison' where id = any (:ids::bigint[]) and note = 'doomed';

-- name: list_airings(id)
select state from example.airing where ad_group = :id order by seq;

-- name: somebody_waits()
select exists (select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database());
