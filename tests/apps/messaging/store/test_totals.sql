-- name: count_history(units)
-- unit: compared with what is kept
select count(*)::bigint as processed, count(*) filter (where state = 'sent')::bigint as sent, avg(duration_ms)::float8 as average_ms
from pabal.delivery where state <> 'open' and cause <> 'test' and reason is distinct from 'paused'
  and (:units::bigint[] is null or unit_id = any(:units::bigint[]));

-- name: list_units()
select id from pabal.unit;

-- name: list_ids(is_open)
select id from pabal.delivery where (state = 'open') = :is_open order by scheduled_at;

-- name: set_state(ids, state)!
update pabal.delivery set state = :state, version = version + 1 where id = any(:ids::bigint[]);

-- name: set_end(ids, duration_ms, reason)!
update pabal.delivery set duration_ms = :duration_ms, reason = :reason where id = any(:ids::bigint[]);

-- name: set_unit(ids)!
update pabal.delivery set unit_id = (select max(id) from pabal.unit) where id = any(:ids::bigint[]);

-- name: delete_deliveries(ids)!
delete from pabal.delivery where id = any(:ids::bigint[]);

-- name: count_lines()
select count(*)::int from pabal.message_total;

-- name: drop_counting()!
-- as it was before its migration
drop function pabal.count_deliveries() cascade;

-- name: drop_recounting()!
drop function pabal.recount_delivery() cascade;

-- name: drop_totals()!
drop table pabal.message_total;
