-- name: try_lock(principal, key)
-- Held until the commit. Whoever gets it sees what the holder before committed: that is the whole claim.
select pg_try_advisory_xact_lock(hashtextextended(:principal || chr(10) || :key, 2032));

-- name: find_answer(principal, key, since)
select request, status, headers, body from pabal.idempotency where principal = :principal and key = :key and created_at > :since;

-- name: insert_answer(principal, key, request, status, headers, body, now)!
-- one that is past its day and not swept yet makes room
insert into pabal.idempotency (principal, key, request, status, headers, body, created_at)
values (:principal, :key, :request, :status, :headers, :body, :now)
on conflict (principal, key) do update
  set request = excluded.request, status = excluded.status, headers = excluded.headers, body = excluded.body, created_at = excluded.created_at;

-- name: delete_old(before)!
delete from pabal.idempotency where (principal, key) in (
  select principal, key from pabal.idempotency where created_at <= :before order by created_at limit 1000);
