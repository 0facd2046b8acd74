-- name: find_session(key_hash, with_demo, idle, longest)
-- Runs on each request, so it is one statement. That it was seen is written once a minute, and by one request only.
with found as (
  select s.id, s.created_at, s.expires_at, u.id as user_id, u.unit_id, u.login, u.name, u.role, u.language, u.zone, u.theme
  from pabal.session s join pabal.user_account u on u.id = s.user_id
  where s.key_hash = :key_hash and s.expires_at > pabal.now() and u.is_active and (:with_demo::boolean or not u.is_demo)),
seen as (
  update pabal.session set seen_at = pabal.now(), expires_at = least(created_at + :longest::interval, pabal.now() + :idle::interval)
  where id = (
    select s.id from pabal.session s
    where s.id = (select id from found) and s.seen_at <= pabal.now() - interval '1 minute' for no key update skip locked))
select id, created_at, expires_at, user_id, unit_id, login, name, role, language, zone, theme from found;

-- name: insert_session(key_hash, user_id, now, expires_at, origin, agent)
insert into pabal.session (key_hash, user_id, created_at, seen_at, expires_at, origin, agent)
values (:key_hash, :user_id, :now, :now, :expires_at, :origin, :agent) returning id;

-- name: list_sessions(user_id, now)
select id, created_at, seen_at, expires_at, origin, agent from pabal.session
where user_id = :user_id and expires_at > :now order by seen_at desc, id desc;

-- name: delete_session(id, user_id)!
delete from pabal.session where id = :id and user_id = :user_id;

-- name: delete_sessions(user_id, but)!
delete from pabal.session where user_id = :user_id and id is distinct from :but::bigint;

-- name: forget_sessions(now)!
delete from pabal.session where id = any(array(
  select id from pabal.session where expires_at <= :now::timestamptz limit 10000 for update skip locked));
