-- name: read_seconds()
select extract(epoch from clock_timestamp())::float8;

-- name: list_bodies()
select w.id, w.kind, w.queue, w.lane, w.args, w.max_failures, w.max_recoveries, extract(epoch from w.created_at)::float8 as created,
       w.priority, extract(epoch from w.deadline)::float8 as deadline, w.records_end is true as records_end
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

-- name: list_facts(names)
select seq, name, subject, data from pabal.fact where name = any(:names::text[]) order by seq;

-- name: list_heard()
select seq, subject from chaos.heard order by n;

-- name: list_aside()
select seq, error from pabal.fact_aside;

-- name: list_occurrences(behind)
select schedule_id, extract(epoch from fire_at)::float8 as fire_at, decision, work_id, "end", reason, count,
       extract(epoch from decided_at)::float8 - :behind::float8 as decided_at,
       extract(epoch from ended_at)::float8 - :behind::float8 as ended_at
from pabal.occurrence order by schedule_id, fire_at;
