-- What ended, per unit, kept in the commit of what changes it: the counters since the beginning counted all history at each call.
-- Lines are only appended, so that no send waits for another; folding makes one line of many. No reference to the unit: a line that
-- is not folded yet must not keep an empty unit from being removed.
create table pabal.message_total (
  unit_id bigint not null,
  processed bigint not null,
  sent bigint not null,
  timed bigint not null,
  took_ms bigint not null
);
create index message_total_unit on pabal.message_total (unit_id);

-- servers may be sending while this runs: what they end waits for the triggers
lock table pabal.delivery in share row exclusive mode;
insert into pabal.message_total (unit_id, processed, sent, timed, took_ms)
select unit_id, count(*), count(*) filter (where state = 'sent'), count(duration_ms), coalesce(sum(duration_ms), 0)
from pabal.delivery where state <> 'open' and cause <> 'test' group by unit_id;

-- Triggers, because deliveries go by cascade and by retention too, and what is counted must not depend on who remembers to count.
create function pabal.count_deliveries() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'DELETE' then -1 else 1 end;
begin
  insert into pabal.message_total (unit_id, processed, sent, timed, took_ms)
  select unit_id, sign * count(*), sign * count(*) filter (where state = 'sent'), sign * count(duration_ms), sign * coalesce(sum(duration_ms), 0)
  from changed where state <> 'open' and cause <> 'test' group by unit_id;
  return null;
end $$;

create trigger delivery_added after insert on pabal.delivery referencing new table as changed
  for each statement execute function pabal.count_deliveries();
create trigger delivery_removed after delete on pabal.delivery referencing old table as changed
  for each statement execute function pabal.count_deliveries();

create function pabal.recount_delivery() returns trigger language plpgsql as $$
begin
  insert into pabal.message_total (unit_id, processed, sent, timed, took_ms)
  select g.unit_id, sum(g.n), sum(g.n * (g.state = 'sent')::int), sum(g.n * (g.duration_ms is not null)::int), sum(g.n * coalesce(g.duration_ms, 0))
  from (values (-1, old.unit_id, old.state, old.duration_ms), (1, new.unit_id, new.state, new.duration_ms)) as g(n, unit_id, state, duration_ms)
  where g.state <> 'open' group by g.unit_id;
  return null;
end $$;

-- by the row: most statements that touch a delivery change nothing of this, and cost nothing here
create trigger delivery_changed after update of unit_id, state, duration_ms on pabal.delivery for each row
  when (new.cause <> 'test' and (old.unit_id, old.state, old.duration_ms) is distinct from (new.unit_id, new.state, new.duration_ms))
  execute function pabal.recount_delivery();
