-- name: list_mismatches(units, cause, is_open, is_decided, before_id, most)
select m.id, m.unit_id, m.ad_group_id, g.name, m.calculated, m.stored, g.source, m.cause, m.since, m.seen_at, m.resolved_at, m.decision,
  m.decided_by, m.decided_at
from pabal.mismatch m join pabal.ad_group g on g.id = m.ad_group_id
where m.id < :before_id and (:units::bigint[] is null or m.unit_id = any(:units::bigint[]))
  and (:cause::text is null or m.cause = :cause) and (:is_open::boolean is null or (m.resolved_at is null) = :is_open)
  and (:is_decided::boolean is null or (m.decision is not null) = :is_decided)
order by m.id desc limit :most;

-- name: find_mismatch(id)
select m.id, m.unit_id, m.ad_group_id, g.name, m.calculated, m.stored, g.source, m.cause, m.since, m.seen_at, m.resolved_at, m.decision,
  m.decided_by, m.decided_at
from pabal.mismatch m join pabal.ad_group g on g.id = m.ad_group_id where m.id = :id;

-- name: count_open(units)
select cause, count(*)::int from pabal.mismatch
where resolved_at is null and (:units::bigint[] is null or unit_id = any(:units::bigint[])) group by cause;

-- name: count_unsettled(expected)
select unit_id, count(*)::int from pabal.mismatch
where resolved_at is null and decision is null and cause <> all(:expected::text[]) group by unit_id;

-- name: decide(id, decision, decided_by, now)!
update pabal.mismatch set decision = :decision, decided_by = :decided_by, decided_at = :now where id = :id;
