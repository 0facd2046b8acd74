-- name: append_history(machine, subjects, versions, events, sources, targets, units, actor, reason, cause, at)!
insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, cause, at)
select :machine::text, h.subject, h.version, h.event, h.source, h.target, h.unit_id,
  :actor::text, :reason::text, :cause::text, :at::timestamptz
from unnest(:subjects::bigint[], :versions::bigint[], :events::text[], :sources::text[], :targets::text[], :units::bigint[])
  as h(subject, version, event, source, target, unit_id)
on conflict do nothing;

-- name: history(machine, subject)
select machine, subject, version, event, source, target, unit_id, actor, reason, cause, at from pabal.transition
where machine = :machine and subject = :subject order by version;

-- name: state_at(machine, subject, moment)
select target from pabal.transition
where machine = :machine and subject = :subject and at <= :moment order by version desc limit 1;
