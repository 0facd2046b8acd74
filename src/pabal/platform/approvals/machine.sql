-- name: load_approvals(ids)
-- who decided, when and why is its last transition's; the first one is only its beginning
select a.id, a.unit_id, a.kind, a.state, a.version, a.machine, a.subject, a.alike, a.seen, a.needed, a.requested_by, a.deadline_at,
  a.opened_at, t.actor as decided_by, t.at as decided_at, t.reason,
  case when a.needed > 1 then array(select v.actor from pabal.approval_voice v where v.approval_id = a.id order by v.at, v.actor)
    else '{}'::text[] end as voices
from pabal.approval a left join pabal.transition t
  on t.machine = 'approval' and t.subject = a.id and t.version = a.version and a.state <> 'open'
where a.id = any(:ids::bigint[]) order by a.id;
