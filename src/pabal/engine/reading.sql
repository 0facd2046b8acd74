-- name: read_fresh(seen, patterns, veiled, units, batch)
-- What this snapshot sees and `seen` did not: an xid from its end on, or one that was running then. (The bound of
-- ENGINE.md, xid >= xmin, read everything again behind one long transaction.) There is always one row, for the snapshot.
-- `offset 0` and `seq + 0` keep the planner on the index of xid, whatever it believes about the table.
select pg_current_snapshot()::text as upto,
  exists (select from pabal.fact n where n.xid >= pg_snapshot_xmax(:seen::text::pg_snapshot))
    or exists (select from pg_snapshot_xip(:seen::text::pg_snapshot) as p(xid)
               cross join lateral (select from pabal.fact n where n.xid = p.xid offset 0) n) as moved,
  w.*
from (select) as always left join lateral (
  select * from (
    select f.* from pg_snapshot_xmax(:seen::text::pg_snapshot) as e(xid) cross join lateral (
      select f.seq, f.id, f.name, f.subject, f.unit_id, f.at, f.data from pabal.fact f
      where f.xid >= e.xid and f.name like any (:patterns::text[]) and f.name not like all (:veiled::text[])
        and (:units::bigint[] is null or f.unit_id = any (:units::bigint[])) offset 0) f
    union all
    select f.* from pg_snapshot_xip(:seen::text::pg_snapshot) as p(xid) cross join lateral (
      select f.seq, f.id, f.name, f.subject, f.unit_id, f.at, f.data from pabal.fact f
      where f.xid = p.xid and f.name like any (:patterns::text[]) and f.name not like all (:veiled::text[])
        and (:units::bigint[] is null or f.unit_id = any (:units::bigint[])) offset 0) f) u
  order by u.seq + 0 limit :batch) w on true
order by w.seq;

-- name: read_on(seen, upto, seq, patterns, veiled, units, batch)
-- The rest of a window that was too large for one batch.
select f.seq, f.id, f.name, f.subject, f.unit_id, f.at, f.data from pabal.fact f
where f.seq > :seq and not pg_visible_in_snapshot(f.xid, :seen::text::pg_snapshot)
  and pg_visible_in_snapshot(f.xid, :upto::text::pg_snapshot) and f.name like any (:patterns::text[]) and f.name not like all (:veiled::text[])
  and (:units::bigint[] is null or f.unit_id = any (:units::bigint[]))
order by f.seq limit :batch;

-- name: read_snapshot()
select pg_current_snapshot()::text;
