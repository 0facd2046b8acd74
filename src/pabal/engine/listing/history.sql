-- name: list_transitions(machine, units, subject, event, actor, since, until, at, after_subject, version, most)
select t.machine, t.subject, t.version, t.event, t.source, t.target, t.unit_id, t.actor, t.reason, t.cause, t.at from pabal.transition t
where t.machine = :machine and (t.at, t.subject, t.version) < (:at::timestamptz, :after_subject::bigint, :version::bigint)
  and (:units::bigint[] is null or t.unit_id = any(:units::bigint[])) and (:subject::bigint is null or t.subject = :subject)
  and (:event::text is null or t.event = :event) and (:actor::text is null or t.actor = :actor)
  and (:since::timestamptz is null or t.at >= :since) and (:until::timestamptz is null or t.at < :until)
order by t.at desc, t.subject desc, t.version desc limit :most;

-- name: list_of_units(machine, units, since, until, at, after_subject, version, most)
-- why a range: see jobs.sql
select t.machine, t.subject, t.version, t.event, t.source, t.target, t.unit_id, t.actor, t.reason, t.cause, t.at
from unnest(:units::bigint[]) as u(id) cross join lateral (
  select * from pabal.transition t
  where (t.unit_id, t.machine, t.at, t.subject) <= (u.id, :machine, :at::timestamptz, :after_subject::bigint) and t.unit_id >= u.id
    and t.machine = :machine and (t.at, t.subject, t.version) < (:at::timestamptz, :after_subject::bigint, :version::bigint)
    and (:since::timestamptz is null or t.at >= :since) and (:until::timestamptz is null or t.at < :until)
  order by t.unit_id desc, t.machine desc, t.at desc, t.subject desc, t.version desc limit :most) t
order by t.at desc, t.subject desc, t.version desc limit :most;
