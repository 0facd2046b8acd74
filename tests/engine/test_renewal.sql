-- name: pretend_another_cluster()!
-- a cluster that had come much further than this one: everything in it has numbers from our future
with moved as (update pabal.fact set xid = (xid::text::bigint + 1000000)::text::xid8)
update pabal.subscription set seen = (
  select format('%s:%s:', pg_snapshot_xmin(seen)::text::bigint + 1000000, pg_snapshot_xmax(seen)::text::bigint + 1000000)::pg_snapshot);
