-- One row for each backup that was begun. The file is on the host that took it; counts are the rows of each table in
-- the very snapshot that was dumped.
create table pabal.backup (
  id bigint primary key default pabal.new_id(),
  job_id bigint not null unique,
  requested_by text,
  host text not null,
  folder text not null,
  file text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  ending text check (ending in ('done', 'failed')),
  reason text,
  size bigint,
  sha256 text,
  counts jsonb,
  checked_at timestamptz,
  check_result text check (check_result in ('good', 'bad', 'failed')),
  check_detail text,
  constraint an_ending_has_its_moment check ((ending is null) = (ended_at is null)),
  constraint a_whole_one_has_its_sum check (ending is distinct from 'done' or (size is not null and sha256 is not null)),
  constraint a_failed_one_has_its_reason check ((ending is not distinct from 'failed') = (reason is not null)),
  constraint a_check_has_its_moment check ((check_result is null) = (checked_at is null))
);
create index backup_file on pabal.backup (file);

-- a function, because a table's name is no parameter
create function pabal.count_rows(relation regclass) returns bigint language plpgsql stable as $$
declare
  number bigint;
begin
  execute format('select count(*) from %s', relation) into number;
  return number;
end $$;
