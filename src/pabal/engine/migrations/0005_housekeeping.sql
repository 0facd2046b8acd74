-- Weekly partitions, named after their ISO week. Functions, because DDL takes no parameters.
-- Rows that came before their week was made stay in the default partition, and that week is not made.

create function pabal.make_partition(parent text, monday date) returns boolean language plpgsql as $$
declare
  part text := format('%s_%s', parent, to_char(monday, 'IYYY"w"IW'));
  starts timestamptz := monday::timestamp at time zone 'UTC';
  ends timestamptz := (monday + 7)::timestamp at time zone 'UTC';
  by_time boolean := parent = 'fact';
  low text := case when by_time then quote_literal(starts) else pabal.id_at(starts)::text end;
  high text := case when by_time then quote_literal(ends) else pabal.id_at(ends)::text end;
  is_late boolean;
begin
  if to_regclass('pabal.' || part) is not null then
    return false;
  end if;
  execute format('select exists (select from pabal.%I where %I >= %s and %I < %s)', parent || '_default',
                 case when by_time then 'at' else 'id' end, low, case when by_time then 'at' else 'id' end, high) into is_late;
  if is_late then
    return false;
  end if;
  -- behind a long transaction we would stop everybody; the next round tries again
  perform set_config('lock_timeout', '2s', true);
  execute format('create table pabal.%I partition of pabal.%I for values from (%s) to (%s)', part, parent, low, high);
  return true;
end $$;

create function pabal.drop_partition(part text) returns void language plpgsql as $$
begin
  if part !~ '^(work|outcome|fact)_[0-9]{4}w[0-9]{2}$' then
    raise exception 'not a weekly partition: %', part;
  end if;
  perform set_config('lock_timeout', '2s', true);
  execute format('drop table pabal.%I', part);
end $$;
