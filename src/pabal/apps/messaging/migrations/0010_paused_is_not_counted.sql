-- What somebody paused is no success and no failure: it is not counted among what ended, here as everywhere else.
-- servers may be sending while this runs: what they end waits for the trigger
lock table pabal.delivery in share row exclusive mode;
insert into pabal.message_total (unit_id, processed, sent, timed, took_ms)
select unit_id, -count(*), -count(*) filter (where state = 'sent'), -count(duration_ms), -coalesce(sum(duration_ms), 0)
from pabal.delivery where state <> 'open' and cause <> 'test' and reason = 'paused' group by unit_id;

create or replace function pabal.count_deliveries() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'DELETE' then -1 else 1 end;
begin
  insert into pabal.message_total (unit_id, processed, sent, timed, took_ms)
  select unit_id, sign * count(*), sign * count(*) filter (where state = 'sent'), sign * count(duration_ms), sign * coalesce(sum(duration_ms), 0)
  from changed where state <> 'open' and cause <> 'test' and reason is distinct from 'paused' group by unit_id;
  return null;
end $$;

create or replace function pabal.recount_delivery() returns trigger language plpgsql as $$
begin
  insert into pabal.message_total (unit_id, processed, sent, timed, took_ms)
  select g.unit_id, sum(g.n), sum(g.n * (g.state = 'sent')::int), sum(g.n * (g.duration_ms is not null)::int), sum(g.n * coalesce(g.duration_ms, 0))
  from (values (-1, old.unit_id, old.state, old.duration_ms, old.reason), (1, new.unit_id, new.state, new.duration_ms, new.reason))
    as g(n, unit_id, state, duration_ms, reason)
  where g.state <> 'open' and g.reason is distinct from 'paused' group by g.unit_id;
  return null;
end $$;

-- the reason is written after the state, by a statement of its own
drop trigger delivery_changed on pabal.delivery;
create trigger delivery_changed after update of unit_id, state, duration_ms, reason on pabal.delivery for each row
  when (new.cause <> 'test' and (old.unit_id, old.state, old.duration_ms, old.reason is not distinct from 'paused')
    is distinct from (new.unit_id, new.state, new.duration_ms, new.reason is not distinct from 'paused'))
  execute function pabal.recount_delivery();
