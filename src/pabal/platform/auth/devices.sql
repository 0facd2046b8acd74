-- name: is_known(secret_hash, user_id, after)
select exists (select from pabal.known_device where secret_hash = :secret_hash and user_id = :user_id and seen_at > :after);

-- name: touch_device(secret_hash, user_id, now)!
update pabal.known_device set seen_at = :now where secret_hash = :secret_hash and user_id = :user_id;

-- name: insert_device(secret_hash, user_id, now)!
insert into pabal.known_device (secret_hash, user_id, seen_at) values (:secret_hash, :user_id, :now);

-- name: delete_oldest(user_id, kept)!
delete from pabal.known_device where secret_hash in (
  select secret_hash from pabal.known_device where user_id = :user_id order by seen_at desc, secret_hash offset :kept);

-- name: delete_devices(user_id)!
delete from pabal.known_device where user_id = :user_id;

-- name: forget_devices(before)!
delete from pabal.known_device where secret_hash = any(array(
  select secret_hash from pabal.known_device where seen_at < :before::timestamptz limit 10000 for update skip locked));
