-- name: load_alerts(ids)
-- a new one has no history yet
select a.id, a.unit_id, a.rule, a.about, a.level, a.state, a.version, a.value, a.worst, a.threshold, a.since, a.fired_at, a.seen_at,
       a.told_at, a.silenced_until, a.resolved_at, coalesce(t.actor, 'engine') as said_by, t.reason as note, coalesce(t.at, a.fired_at) as moved_at
from pabal.alert a left join pabal.transition t on t.machine = 'alert' and t.subject = a.id and t.version = a.version
where a.id = any(:ids::bigint[]) order by a.id;
