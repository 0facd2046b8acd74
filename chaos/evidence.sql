-- name: read_seconds()
select extract(epoch from pabal.real_now())::float8;

-- name: list_bodies()
select w.id, w.kind, w.queue, w.lane, w.args, w.max_failures, w.max_recoveries, extract(epoch from w.created_at)::float8 as created
from pabal.work w order by w.id;

-- name: list_outcomes()
select id, token, final, result, worker, extract(epoch from started_at)::float8 as started_at,
       extract(epoch from ended_at)::float8 as ended_at, error->>'reason' as reason
from pabal.outcome order by id, token;

-- name: list_recorded()
select job, token, route, epoch, current_epoch from chaos.recorded;

-- name: list_given_up()
select job, token, reason from chaos.given_up;

-- name: count_effects()
select job, count(*)::int as effects from chaos.effect group by job;

-- name: list_held()
select route, worker, epoch, pid from chaos.held;

-- name: list_starts()
select limit_key, extract(epoch from at)::float8 as at, weight, id from pabal.started order by limit_key, at;

-- name: list_stale()
select id, token, result from pabal.stale;

-- name: list_places()
select id, 'ready' as place from pabal.ready union all select id, 'delayed' from pabal.delayed
union all select id, 'waiting' from pabal.waiting union all select id, 'lease' from pabal.lease;
