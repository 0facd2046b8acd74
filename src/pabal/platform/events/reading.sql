-- name: read_fresh(seen, likes, share, of, batch)
-- What this snapshot sees and `seen` did not: an xid from its end on, or one that was running then. There is always one
-- row, for the snapshot. `offset 0` and `seq + 0` keep the planner on the index of xid, whatever it believes about the table.
select pg_current_snapshot()::text as upto,
  exists (select from pabal.event n where n.xid >= pg_snapshot_xmax(:seen::text::pg_snapshot))
    or exists (select from pg_snapshot_xip(:seen::text::pg_snapshot) as p(xid)
               cross join lateral (select from pabal.event n where n.xid = p.xid offset 0) n) as moved,
  w.*
from (select) as always left join lateral (
  select * from (
    select e.* from pg_snapshot_xmax(:seen::text::pg_snapshot) as s(xid) cross join lateral (
      select e.seq, e.id, e.name, e.key, e.unit_id, e.source, e.at, e.data from pabal.event e
      where e.xid >= s.xid and e.slot % :of::int = :share::int and e.name like any (:likes::text[]) offset 0) e
    union all
    select e.* from pg_snapshot_xip(:seen::text::pg_snapshot) as p(xid) cross join lateral (
      select e.seq, e.id, e.name, e.key, e.unit_id, e.source, e.at, e.data from pabal.event e
      where e.xid = p.xid and e.slot % :of::int = :share::int and e.name like any (:likes::text[]) offset 0) e) u
  order by u.seq + 0 limit :batch) w on true
order by w.seq;

-- name: read_on(seen, upto, seq, likes, share, of, batch, span)
-- The rest of a window that was too large for one batch. The inner limit keeps the planner on the order of seq, whatever it
-- believes that the conditions leave over; without it, it sorted the rest of the table for each batch.
select e.seq, e.id, e.name, e.key, e.unit_id, e.source, e.at, e.data
from (select * from pabal.event n where n.seq > :seq order by n.seq limit :span) e
where not pg_visible_in_snapshot(e.xid, :seen::text::pg_snapshot) and pg_visible_in_snapshot(e.xid, :upto::text::pg_snapshot)
  and e.slot % :of::int = :share::int and e.name like any (:likes::text[])
order by e.seq limit :batch;

-- name: find_end(seq, span)
-- how far read_on looked, and at how many
select max(n.seq) as last, count(*) as count from (select e.seq from pabal.event e where e.seq > :seq order by e.seq limit :span) n;
