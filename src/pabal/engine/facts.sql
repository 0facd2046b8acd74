-- name: record_many(names, subjects, units, datas, at)!
insert into pabal.fact (name, subject, unit_id, at, data)
select f.name, f.subject, f.unit_id, :at::timestamptz, f.data::jsonb
from unnest(:names::text[], :subjects::text[], :units::bigint[], :datas::text[]) as f(name, subject, unit_id, data);

-- name: lock_subscription(name)
-- Not a row lock: that would give this transaction an xid before it reads, and its own facts would count as seen.
select pg_try_advisory_xact_lock(hashtextextended('pabal.subscription ' || :name::text, 0));

-- name: find_subscription(name)
select seen::text, upto::text, seq, tries, retry_at,
  exists (select from pabal.suspect s where s.name = 'facts:' || :name::text) as is_suspect
from pabal.subscription where name = :name;

-- name: insert_subscription(name, from_start)!
insert into pabal.subscription (name, seen)
values (:name, case when :from_start::boolean then '1:1:' else pg_current_snapshot() end) on conflict do nothing;

-- name: update_subscription(name, seen, upto, seq, tries, retry_at)!
update pabal.subscription
set seen = :seen::text::pg_snapshot, upto = :upto::text::pg_snapshot, seq = :seq, tries = :tries, retry_at = :retry_at
where name = :name;

-- name: delete_subscription(name)!
delete from pabal.subscription where name = :name;

-- name: insert_aside(name, seq, error)!
insert into pabal.fact_aside (subscription, seq, error, at) values (:name, :seq, :error, pabal.now());

-- name: take_aside(name, seq)
with taken as (delete from pabal.fact_aside where subscription = :name and seq = :seq returning seq)
select f.seq, f.id, f.name, f.subject, f.unit_id, f.at, f.data from taken join pabal.fact f using (seq);

-- name: list_aside(subscriber)
select f.seq, f.name, f.subject, f.unit_id, a.error, a.at
from pabal.fact_aside a join pabal.fact f using (seq) where a.subscription = :subscriber order by a.seq;

-- name: read_snapshot()
-- before this transaction has a number of its own, which must not count as seen
select pg_current_snapshot()::text;

-- name: renumber_facts()!
update pabal.fact f set xid = case
  when exists (select from pabal.subscription s where not pg_visible_in_snapshot(f.xid, s.seen)) then pg_current_xact_id()
  else '3'::xid8 end;

-- name: renew_subscriptions(seen)!
update pabal.subscription set seen = :seen::text::pg_snapshot, upto = null, seq = 0, tries = 0, retry_at = null;
