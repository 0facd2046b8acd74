-- name: find_token(secret_hash, with_demo)
-- Runs on each request, so it is one statement. That it was used is written once a minute, and by one request only.
-- unit: it rests on its maker: where its unit was moved out of their subtree, it is nobody
with recursive token as (
  select t.id, t.unit_id, t.name, t.role, t.scopes, t.made_by, u.unit_id as maker_unit_id, u.is_demo
  from pabal.api_token t left join pabal.user_account u on u.id = t.made_by
  where t.secret_hash = :secret_hash and t.revoked_at is null and t.expires_at > pabal.now()),
above as (
  select unit_id as id from token
  union
  select u.parent_id from pabal.unit u join above a on u.id = a.id where u.parent_id is not null),
found as (
  select id, unit_id, name, role, scopes from token
  where made_by is null or ((:with_demo::boolean or not is_demo) and exists (select from above a where a.id = maker_unit_id))),
used as (
  update pabal.api_token set last_used_at = pabal.now()
  where id = (
    select t.id from pabal.api_token t
    where t.id = (select id from found) and (t.last_used_at is null or t.last_used_at <= pabal.now() - interval '1 minute')
    for no key update skip locked))
select id, unit_id, name, role, scopes from found;

-- name: find_holder(id)
-- who a token is now, for work that was asked for with it; by the same rules as find_token
-- unit: it rests on its maker, as find_token says
with recursive token as (
  select t.id, t.unit_id, t.name, t.role, t.scopes, t.made_by, u.unit_id as maker_unit_id
  from pabal.api_token t left join pabal.user_account u on u.id = t.made_by
  where t.id = :id and t.revoked_at is null and t.expires_at > pabal.now()),
above as (
  select unit_id as id from token
  union
  select u.parent_id from pabal.unit u join above a on u.id = a.id where u.parent_id is not null)
select id, unit_id, name, role, scopes from token
where made_by is null or exists (select from above a where a.id = maker_unit_id);

-- name: get_token(id)
select t.id, t.unit_id, t.name, t.role, t.scopes, t.made_by, u.name as maker, t.start, t.replaces,
  (select n.id from pabal.api_token n where n.replaces = t.id) as replaced_by, t.created_at, t.expires_at, t.last_used_at, t.revoked_at
from pabal.api_token t left join pabal.user_account u on u.id = t.made_by where t.id = :id;

-- name: hold_token(id)!
select from pabal.api_token where id = :id for no key update;

-- name: list_tokens(units, before, most)
select t.id, t.unit_id, t.name, t.role, t.scopes, t.made_by, u.name as maker, t.start, t.replaces,
  (select n.id from pabal.api_token n where n.replaces = t.id) as replaced_by, t.created_at, t.expires_at, t.last_used_at, t.revoked_at
from pabal.api_token t left join pabal.user_account u on u.id = t.made_by
where t.id < :before and (:units::bigint[] is null or t.unit_id = any(:units::bigint[])) order by t.id desc limit :most;

-- name: insert_token(unit_id, name, role, scopes, made_by, start, secret_hash, replaces, now, expires_at)
insert into pabal.api_token (unit_id, name, role, scopes, made_by, start, secret_hash, replaces, created_at, expires_at)
values (:unit_id, :name, :role, :scopes, :made_by, :start, :secret_hash, :replaces, :now, :expires_at) returning id;

-- name: end_token(id, at)!
update pabal.api_token set expires_at = least(expires_at, :at::timestamptz) where id = :id;

-- name: revoke_token(id, now)!
update pabal.api_token set revoked_at = :now where id = :id and revoked_at is null and expires_at > :now;

-- name: revoke_tokens(made_by, now)
update pabal.api_token set revoked_at = :now where made_by = :made_by and revoked_at is null and expires_at > :now returning id;

-- name: forget_tokens(before)!
delete from pabal.api_token where id = any(array(
  select id from pabal.api_token where least(expires_at, revoked_at) < :before::timestamptz limit 10000 for update skip locked));
