-- name: lock_due(batch)
-- A pause that committed first is seen here, because the row is read again once it is locked.
select id from pabal.schedule where next_at <= pabal.now() and paused_at is null
order by next_at, id limit :batch for update skip locked;

-- name: pause_broken(ids, problems)!
update pabal.schedule s set paused_at = pabal.now(), paused_by = 'engine', problem = g.problem
from unnest(:ids::bigint[], :problems::text[]) as g(id, problem) where s.id = g.id;

-- name: find_next_due()
select next_at from pabal.schedule where paused_at is null and next_at is not null order by next_at, id limit 1;
