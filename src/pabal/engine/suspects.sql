-- name: suspect(names, doubts, reason)!
-- in order, so that two who bury many cannot deadlock
insert into pabal.suspect (name, doubts, reason)
select name, :doubts, :reason from unnest(:names::text[]) as g(name) order by name
on conflict (name) do update set doubts = greatest(pabal.suspect.doubts, excluded.doubts);

-- name: lock_alone(name)
-- Until the end of the transaction: one server at a time. Not a row lock, which a marker committed meanwhile would wait for.
select pg_try_advisory_xact_lock(hashtextextended('pabal.suspect ' || :name::text, 0));

-- name: find_suspect(name)
-- is_lost: the marker is of this database's life. Another one's says nothing about the job: the database itself went away.
select doubts, reason, tried, token, tries, coalesce(trying_since = pg_postmaster_start_time(), false) as is_lost
from pabal.suspect where name = :name;

-- name: mark(name, tried, token, tries, reason)!
update pabal.suspect set tried = :tried, token = :token, tries = :tries, reason = :reason, trying_since = pg_postmaster_start_time()
where name = :name;

-- name: explain(name, tried, reason)!
update pabal.suspect set reason = :reason where name = :name and tried = :tried;

-- name: unmark(name)!
update pabal.suspect set tried = null, token = null, tries = 0, trying_since = null where name = :name;

-- name: clear_one(name)!
-- One went well; after the last doubt it is as before.
with gone as (delete from pabal.suspect where name = :name and doubts <= 1)
update pabal.suspect set doubts = doubts - 1, tried = null, token = null, tries = 0, trying_since = null
where name = :name and doubts > 1;

-- name: clear(name)!
delete from pabal.suspect where name = :name;

-- name: probe()
select 1;
