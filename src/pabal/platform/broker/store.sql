-- name: list_events(result, subject, before, most)
select seq, id, name, subject, data, raw, result, code, reason, report, tries, duplicates, at, ended_at from pabal.broker_event
where seq < :before and (:result::text is null or (case when :result = 'duplicate' then duplicates > 0 else result = :result end))
  and (:subject::text is null or subject = :subject)
order by seq desc limit :most;

-- name: count_failed(since)
select count(*)::float8 from pabal.broker_event where result = 'failed' and ended_at >= :since::timestamptz;

-- name: forget_events(before, batch)!
-- the first ones only: their moments are in the order of seq, but for those that were tried again
delete from pabal.broker_event where seq = any(array(
  select o.seq from (select seq, ended_at from pabal.broker_event order by seq limit :batch) o where o.ended_at < :before::timestamptz));

-- name: note_line(server, side, error, pending, now)!
insert into pabal.broker_line as l (server, side, seen_at, failed_since, error, pending)
values (:server, :side, :now, case when :error::text is null then null else :now::timestamptz end, :error, :pending)
on conflict (server, side) do update set seen_at = excluded.seen_at, error = excluded.error,
  failed_since = case when excluded.error is null then null else coalesce(l.failed_since, excluded.failed_since) end,
  pending = coalesce(excluded.pending, l.pending);

-- name: forget_line(server)!
delete from pabal.broker_line where server = :server;

-- name: forget_lines(before)!
delete from pabal.broker_line where seen_at < :before::timestamptz;

-- name: list_lines(since)
select server, side, seen_at, failed_since, error, pending from pabal.broker_line
where seen_at >= :since::timestamptz order by server, side;

-- name: read_lag(name)
-- the first fact after what was seen in full; no row while nothing goes out
select coalesce(extract(epoch from pabal.now() - f.at), 0)::float8
from pabal.subscription s left join lateral (
  select f.at from pabal.fact f where f.xid >= pg_snapshot_xmax(s.seen) order by f.xid limit 1) f on true
where s.name = :name;
