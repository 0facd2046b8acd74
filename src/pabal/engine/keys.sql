-- name: forget_old_keys(scopes, keys)!
-- a key kept past the end of its job is free again when its time is over
delete from pabal.dedupe where ctid = any(array(
  select d.place from unnest(:scopes::text[], :keys::text[]) as k(scope, key) cross join lateral (
    select d.ctid as place from pabal.dedupe d
    where d.scope = k.scope and d.key = k.key and d.until <= pabal.now() and not pabal.is_open(d.work_id) offset 0) d));

-- name: take_keys(scopes, keys, ids, keeps)
-- In order, so that two crowds with the same keys wait for one another instead of deadlocking.
insert into pabal.dedupe (scope, key, work_id, until)
select scope, key, id, until from unnest(:scopes::text[], :keys::text[], :ids::bigint[], :keeps::timestamptz[]) as g(scope, key, id, until)
order by scope, key on conflict do nothing returning scope, key, work_id as id;

-- name: find_keys(scopes, keys)
select d.scope, d.key, d.work_id as id from unnest(:scopes::text[], :keys::text[]) as k(scope, key)
cross join lateral (select * from pabal.dedupe d where d.scope = k.scope and d.key = k.key offset 0) d;

-- name: find_open_keys(kind, keys)
select work_id as id from pabal.dedupe where scope = :kind and key = any(:keys::text[]) and pabal.is_open(work_id);
