-- unit_id from the first migration on: whatever has an owner belongs to a unit
create schema lostfound;

create table lostfound.item (
  id bigint primary key default pabal.new_id(),
  unit_id bigint not null references pabal.unit (id),
  what text not null check (length(what) between 1 and 200),
  found_at timestamptz not null,
  fetched_at timestamptz
);

create index item_of_unit on lostfound.item (unit_id, id desc);
create index item_waiting on lostfound.item (found_at) where fetched_at is null;
