-- name: try_lock(consumer, share)
-- Not a row lock: that would give this transaction an xid before it reads, and its own events would count as seen.
-- Opens the transaction: the moment first.
select pabal.now(), pg_try_advisory_xact_lock(hashtextextended('pabal.event_place ' || :share::int || ' ' || :consumer::text, 0)) as is_ours;

-- name: lock_consumer(consumer)!
select pg_advisory_xact_lock(hashtextextended('pabal.event_consumer ' || :consumer::text, 0));

-- name: lock_all(consumer)
select pg_advisory_xact_lock(hashtextextended('pabal.event_place ' || p.share::int || ' ' || p.consumer, 0))
from (select consumer, share from pabal.event_place where consumer = :consumer order by share) p;

-- name: find_place(consumer, share)
select p.consumer, p.share, p.of, p.seen::text, p.upto::text, p.seq, p.tries, p.retry_at, c.is_paused,
  p.share = 0 and exists (select from pabal.dead_letter d where d.consumer = p.consumer and d.asked_at is not null) as has_asked,
  exists (select from pabal.suspect s where s.name = 'events:' || p.consumer || ':' || p.share) as is_suspect
from pabal.event_place p join pabal.event_consumer c on c.name = p.consumer where p.consumer = :consumer and p.share = :share;

-- name: find_shares(consumer)
select shares from pabal.event_consumer where name = :consumer;

-- name: read_snapshot()
-- before this transaction has a number of its own, which must not count as seen
select pg_current_snapshot()::text;

-- name: put_consumer(name, patterns, shares, now)!
insert into pabal.event_consumer as c (name, patterns, shares, since) values (:name, :patterns, :shares, :now)
on conflict (name) do update set patterns = excluded.patterns, shares = excluded.shares
where (c.patterns, c.shares) is distinct from (excluded.patterns, excluded.shares);

-- name: insert_places(consumer, of, seen)!
insert into pabal.event_place (consumer, share, of, seen)
select :consumer, s, :of, :seen::text::pg_snapshot from generate_series(0, :of::int - 1) as s;

-- name: delete_places(consumer)!
delete from pabal.event_place where consumer = :consumer;

-- name: move_place(consumer, share, seen, upto, seq, tries, retry_at)!
update pabal.event_place set seen = :seen::text::pg_snapshot, upto = :upto::text::pg_snapshot, seq = :seq, tries = :tries,
  retry_at = :retry_at
where consumer = :consumer and share = :share;

-- name: move_and_note(consumer, share, seen, upto, seq, seqs)
with moved as (
  update pabal.event_place set seen = :seen::text::pg_snapshot, upto = :upto::text::pg_snapshot, seq = :seq, tries = 0, retry_at = null
  where consumer = :consumer and share = :share)
insert into pabal.event_done (consumer, event_seq) select :consumer, s from unnest(:seqs::bigint[]) as s
on conflict do nothing returning event_seq;

-- name: set_back(consumer, first)!
-- Everything from `first` on that is committed now is a window; this transaction's own number does not matter, it wrote no event.
update pabal.event_place set seen = case when :first::bigint is null then pg_current_snapshot() else '1:1:' end,
  upto = case when :first::bigint is null then null else pg_current_snapshot() end, seq = coalesce(:first - 1, 0), tries = 0, retry_at = null
where consumer = :consumer;

-- name: first_since(since)
select min(seq) from pabal.event where at >= :since::timestamptz;

-- name: first_waiting(consumer)
select min(e.seq) from pabal.event_place p join pabal.event_consumer c on c.name = p.consumer cross join lateral (
  select f.seq from (
    (select e.seq from pabal.event e where p.upto is not null and e.seq > p.seq and not pg_visible_in_snapshot(e.xid, p.seen)
       and pg_visible_in_snapshot(e.xid, p.upto) and e.slot % p.of = p.share order by e.seq limit 1)
    union all
    select e.seq from pabal.event e
    where e.xid >= pg_snapshot_xmax(coalesce(p.upto, p.seen)) and e.slot % p.of = p.share
    union all
    select e.seq from pg_snapshot_xip(coalesce(p.upto, p.seen)) as x(xid) join pabal.event e on e.xid = x.xid
    where e.slot % p.of = p.share) f order by f.seq limit 1) e
where p.consumer = :consumer;

-- name: list_consumers(name, most)
select c.name, c.patterns, c.shares, c.is_paused, c.since, b.backlog, b.oldest_at, b.retry_at,
  (select count(*) from pabal.dead_letter d where d.consumer = c.name)::int as dead, pabal.now() as now
from pabal.event_consumer c cross join lateral (
  select coalesce(sum(w.count), 0)::int as backlog, min(w.oldest_at) as oldest_at, max(p.retry_at) as retry_at
  from pabal.event_place p cross join lateral (
    select count(*) as count, min(f.at) as oldest_at from (
      select u.at from (
        select e.seq, e.at, e.name from pabal.event e where p.upto is not null and e.seq > p.seq and not pg_visible_in_snapshot(e.xid, p.seen)
          and pg_visible_in_snapshot(e.xid, p.upto) and e.slot % p.of = p.share
        union all
        select e.seq, e.at, e.name from pabal.event e where e.xid >= pg_snapshot_xmax(coalesce(p.upto, p.seen)) and e.slot % p.of = p.share
        union all
        select e.seq, e.at, e.name from pg_snapshot_xip(coalesce(p.upto, p.seen)) as x(xid) join pabal.event e on e.xid = x.xid
        where e.slot % p.of = p.share) u
      where exists (select from unnest(c.patterns) as t(pattern)
        where case when t.pattern like '%*' then starts_with(u.name, left(t.pattern, -1)) else u.name = t.pattern end)
      limit :most) f) w
  where p.consumer = c.name) b
where :name::text is null or c.name = :name order by c.name;

-- name: list_names()
select name from pabal.event_consumer order by name;

-- name: renumber_events()!
update pabal.event set xid = '3'::xid8;

-- name: renew_places(consumer, first, snapshot)!
update pabal.event_place set seen = case when :first::bigint is null then :snapshot::text::pg_snapshot else '1:1:' end,
  upto = case when :first::bigint is null then null else :snapshot::text::pg_snapshot end,
  seq = coalesce(:first - 1, 0), tries = 0, retry_at = null
where consumer = :consumer;
