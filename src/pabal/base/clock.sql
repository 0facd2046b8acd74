-- name: make_movable#
-- The subselect keeps now() from being inlined, but it stays stable and so still bounds an index scan.
create table if not exists pabal.clock_shift (one boolean primary key default true check (one), shift interval not null);
insert into pabal.clock_shift (shift) values ('0') on conflict do nothing;
alter table pabal.clock_shift add column if not exists from_at timestamptz, add column if not exists to_at timestamptz;
create or replace function pabal.now() returns timestamptz language sql stable parallel safe
  as 'select now() + (select shift from pabal.clock_shift)';
create or replace function pabal.moment() returns timestamptz language sql volatile parallel safe
  as 'select clock_timestamp() + (select shift from pabal.clock_shift)';

-- name: advance(by)!
with moved as (update pabal.clock_shift set shift = shift + :by::interval returning shift)
select pg_notify('pabal', '{"*": null}') from moved;

-- name: ask_trip(to_at)!
-- Asked again on the way, it began where it began.
with asked as (
  update pabal.clock_shift set from_at = coalesce(from_at, pabal.now()), to_at = :to_at::timestamptz where :to_at::timestamptz > pabal.now()
  returning to_at)
select pg_notify('pabal', '{"*": null}') from asked;

-- name: end_trip()!
update pabal.clock_shift set from_at = null, to_at = null;

-- name: find_trip()
select from_at, to_at, pabal.now() as at from pabal.clock_shift where to_at is not null;

-- name: hold_trip()
-- One server at a time moves it; the others look again soon.
select from_at, to_at, pabal.now() as at from pabal.clock_shift where to_at is not null for update skip locked;
