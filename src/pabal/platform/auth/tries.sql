-- name: hold_rows(subjects, now)!
-- `where false` writes nothing to those that are there and locks them all the same, always in the same order
insert into pabal.sign_in_try (subject, tries, last_at) select s, '{}', :now from unnest(:subjects::text[]) s order by s
on conflict (subject) do update set last_at = excluded.last_at where false;

-- name: list_tries(subjects)
select subject, tries from pabal.sign_in_try where subject = any(:subjects::text[]) order by subject;

-- name: update_tries(subject, tries, now)!
update pabal.sign_in_try set tries = :tries, last_at = :now where subject = :subject;

-- name: clear_tries(subject)!
update pabal.sign_in_try set tries = '{}' where subject = :subject;

-- name: give_back(subject, own, at)!
-- every try is in both rows with the same moment
update pabal.sign_in_try a set tries = array(
  select t from unnest(a.tries) t
  where t <> :at::timestamptz and not exists (select from pabal.sign_in_try o where o.subject = :own and t = any(o.tries)) order by t)
where a.subject = :subject;

-- name: forget_tries(before)!
delete from pabal.sign_in_try where subject = any(array(
  select subject from pabal.sign_in_try where last_at < :before::timestamptz limit 10000 for update skip locked));

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
