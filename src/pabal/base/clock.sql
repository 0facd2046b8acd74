-- name: make_movable#
-- The subselect keeps now() from being inlined, but it stays stable and so still bounds an index scan.
create table if not exists pabal.clock_shift (one boolean primary key default true check (one), shift interval not null);
insert into pabal.clock_shift (shift) values ('0') on conflict do nothing;
create or replace function pabal.now() returns timestamptz language sql stable parallel safe
  as 'select now() + (select shift from pabal.clock_shift)';
create or replace function pabal.moment() returns timestamptz language sql volatile parallel safe
  as 'select clock_timestamp() + (select shift from pabal.clock_shift)';

-- name: advance(by)!
with moved as (update pabal.clock_shift set shift = shift + :by::interval returning shift)
select pg_notify('pabal', '{"*": null}') from moved;
