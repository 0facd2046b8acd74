-- name: ensure_pass(now)!
insert into pabal.shadow_pass (began_at) values (:now) on conflict do nothing;

-- name: hold_pass()
select after_id, compared, began_at, finished_at from pabal.shadow_pass for update;

-- name: find_pass()
select after_id, compared, began_at, finished_at from pabal.shadow_pass;

-- name: begin_pass(now)!
update pabal.shadow_pass set after_id = 0, compared = 0, began_at = :now, finished_at = null;

-- name: move_pass(after_id, compared, finished_at)!
update pabal.shadow_pass set after_id = :after_id, compared = compared + :compared, finished_at = :finished_at;

-- name: list_open(after_id, most)
select id from pabal.ad_group where id > :after_id and state not in ('expired', 'deleted') order by id limit :most;

-- name: put_mismatches(ids, unit_ids, calculated, stored, causes, now)!
-- What somebody decided holds as long as the cause does.
insert into pabal.mismatch as m (ad_group_id, unit_id, calculated, stored, cause, since, seen_at)
select d.*, :now::timestamptz, :now::timestamptz
from unnest(:ids::bigint[], :unit_ids::bigint[], :calculated::text[], :stored::text[], :causes::text[]) as d
on conflict (ad_group_id) where resolved_at is null do update set
  calculated = excluded.calculated, stored = excluded.stored, seen_at = excluded.seen_at, cause = excluded.cause,
  since = case when m.cause = excluded.cause then m.since else excluded.since end,
  decision = case when m.cause = excluded.cause then m.decision end,
  decided_by = case when m.cause = excluded.cause then m.decided_by end,
  decided_at = case when m.cause = excluded.cause then m.decided_at end;

-- name: resolve(after_id, last_id, differing, now)!
-- Those that are over are in the range too, though nobody compares them any more.
update pabal.mismatch set resolved_at = :now
where resolved_at is null and ad_group_id > :after_id and ad_group_id <= :last_id and ad_group_id <> all(:differing::bigint[]);

-- name: forget_resolved(before)!
delete from pabal.mismatch where resolved_at < :before;

-- name: list_mismatches(units, cause, is_open, is_decided, before_id, most)
select m.id, m.unit_id, m.ad_group_id, g.name, m.calculated, m.stored, g.source, m.cause, m.since, m.seen_at, m.resolved_at, m.decision,
  m.decided_by, m.decided_at
from pabal.mismatch m join pabal.ad_group g on g.id = m.ad_group_id
where m.id < :before_id and (:units::bigint[] is null or m.unit_id = any(:units::bigint[]))
  and (:cause::text is null or m.cause = :cause) and (:is_open::boolean is null or (m.resolved_at is null) = :is_open)
  and (:is_decided::boolean is null or (m.decision is not null) = :is_decided)
order by m.id desc limit :most;

-- name: lock_mismatch(id)
select id from pabal.mismatch where id = :id for update;

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
