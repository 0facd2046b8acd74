-- name: lock_partitions()
-- servers that start together make them one after the other
select pg_advisory_xact_lock(482952634733);

-- name: make_partitions(parents, ahead)
select p.parent, to_char(m.monday, 'IYYY"w"IW') as week
from unnest(:parents::text[]) as p(parent)
cross join lateral (select date_trunc('week', pabal.now() at time zone 'UTC')::date + 7 * n as monday from generate_series(0, :ahead::int) as n) m
where pabal.make_partition(p.parent, m.monday);

-- name: list_partitions(parent)
select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent = ('pabal.' || :parent::text)::regclass and c.relname <> :parent::text || '_default' order by c.relname;

-- name: find_smallest_open()
select least((select min(id) from pabal.ready), (select min(id) from pabal.delayed),
             (select min(id) from pabal.waiting), (select min(id) from pabal.lease));

-- name: id_at(moment)
select pabal.id_at(:moment::timestamptz);

-- name: is_delivered(before)
-- everything recorded before this moment is seen by every subscriber
select not exists (
  select from pabal.subscription s join pabal.fact f on f.at < :before::timestamptz
  and f.xid >= pg_snapshot_xmin(s.seen) and not pg_visible_in_snapshot(f.xid, s.seen));

-- name: drop_partition(name)!
select pabal.drop_partition(:name);

-- name: forget_starts(before)!
delete from pabal.started where ctid = any(array(select ctid from pabal.started where at < :before::timestamptz limit 10000));

-- name: forget_stale(before)!
delete from pabal.stale where seq in (select seq from pabal.stale where at < :before::timestamptz order by seq limit 10000);

-- name: forget_occurrences(before)!
delete from pabal.occurrence o using (
  select schedule_id, fire_at from pabal.occurrence
  where fire_at < :before::timestamptz and (decision <> 'enqueued' or "end" is not null) order by fire_at limit 10000) old
where o.schedule_id = old.schedule_id and o.fire_at = old.fire_at;

-- name: forget_keys()!
delete from pabal.dedupe d where d.until <= pabal.now() and not pabal.is_open(d.work_id);

-- name: read_pressure()
select
  (select coalesce(max(extract(epoch from pabal.real_now() - xact_start)), 0)::float8 from pg_stat_activity
    where backend_xmin is not null and datname = current_database()) as oldest_snapshot_seconds,
  pg_notification_queue_usage()::float8 as notification_queue,
  (select coalesce(sum(n_dead_tup), 0)::float8 from pg_stat_user_tables
    where schemaname = 'pabal' and relname in ('ready', 'lease', 'delayed', 'waiting', 'lane')) as dead_rows;

-- name: count_places()
-- exact counts of a large place cost too much; nobody needs more than "over ten thousand"
select 'ready' as place, (select count(*) from (select from pabal.ready limit 10001) c) as depth
union all select 'delayed', (select count(*) from (select from pabal.delayed limit 10001) c)
union all select 'waiting', (select count(*) from (select from pabal.waiting limit 10001) c)
union all select 'lease', (select count(*) from (select from pabal.lease limit 10001) c);
