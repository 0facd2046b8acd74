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
