-- name: insert_link(secret_hash, user_id, issued_by, now, expires_at)!
insert into pabal.sign_in_link (secret_hash, user_id, issued_by, created_at, expires_at)
values (:secret_hash, :user_id, :issued_by, :now, :expires_at);

-- name: delete_open_links(user_id)!
delete from pabal.sign_in_link where user_id = :user_id and used_at is null;

-- name: find_link(secret_hash, now)
select l.user_id, l.expires_at, u.login, u.name, u.language, u.is_demo from pabal.sign_in_link l join pabal.user_account u on u.id = l.user_id
where l.secret_hash = :secret_hash and l.used_at is null and l.expires_at > :now and u.is_active;

-- name: use_link(secret_hash, now)!
-- of two clicks at once one finds it unused
update pabal.sign_in_link set used_at = :now where secret_hash = :secret_hash and used_at is null and expires_at > :now;

-- name: forget_links(before)!
delete from pabal.sign_in_link where id = any(array(
  select id from pabal.sign_in_link where expires_at < :before::timestamptz limit 10000 for update skip locked));
