-- name: insert_account(unit_id, openclaw_user_id, name, token_hash, rate_limit, asks_owner, session_until, now)
with made as (
  insert into relay.account (unit_id, openclaw_user_id, name, relay_token_hash, token_made_at, rate_limit_per_minute, asks_owner,
    session_until, created_at)
  values (:unit_id, :openclaw_user_id, :name, :token_hash, :now, :rate_limit, :asks_owner, :session_until, :now) returning id)
, used as (insert into relay.account_use (account_id) select id from made)
select id from made;

-- name: find_account(id, awake_since)
select a.id, a.number, a.unit_id, a.openclaw_user_id, a.name, a.rate_limit_per_minute, a.asks_owner, a.session_until, a.token_made_at,
  a.old_token_until, a.created_at, a.disabled_at, u.read_at, u.asleep_at,
  (u.read_at is null or u.read_at < :awake_since) as is_quiet,
  (select count(*) from relay.conversation c where c.account_id = a.id)::int as conversations,
  (select count(*) from relay.message m where m.account_id = a.id and m.unread_until is not null)::int as queued,
  case when u.window_began_at > pabal.now() - interval '60 s' then u.used else 0 end as used
from relay.account a join relay.account_use u on u.account_id = a.id where a.id = :id;

-- name: list_accounts(units, q, with_waiting, awake_since, before, most)
select a.id, a.number, a.unit_id, a.openclaw_user_id, a.name, a.rate_limit_per_minute, a.asks_owner, a.session_until, a.token_made_at,
  a.old_token_until, a.created_at, a.disabled_at, u.read_at, u.asleep_at,
  (u.read_at is null or u.read_at < :awake_since) as is_quiet,
  (select count(*) from relay.conversation c where c.account_id = a.id)::int as conversations,
  (select count(*) from relay.message m where m.account_id = a.id and m.unread_until is not null)::int as queued,
  case when u.window_began_at > pabal.now() - interval '60 s' then u.used else 0 end as used
from relay.account a join relay.account_use u on u.account_id = a.id
where a.number < :before and (:units::bigint[] is null or a.unit_id = any(:units::bigint[]))
  and (:with_waiting::boolean or a.session_until is null)
  and (:q::text is null or strpos(lower(a.name), lower(:q)) > 0 or strpos(lower(a.openclaw_user_id), lower(:q)) > 0)
order by a.number desc limit :most;

-- name: find_named(name, units, most)
select a.id from relay.account a
where (a.name = :name or a.openclaw_user_id = :name) and (:units::bigint[] is null or a.unit_id = any(:units::bigint[]))
order by a.number desc limit :most;

-- name: hold_account(id)
select a.id, a.unit_id, a.name, a.relay_token_hash, a.disabled_at, a.session_until, a.asks_owner
from relay.account a where a.id = :id for no key update;

-- name: update_account(id, name, unit_id, rate_limit, asks_owner)!
update relay.account set name = :name, unit_id = :unit_id, rate_limit_per_minute = :rate_limit, asks_owner = :asks_owner where id = :id;

-- name: move_things(account_id, unit_id)!
-- conversations and messages belong where their account does
with moved as (update relay.conversation set unit_id = :unit_id where account_id = :account_id)
update relay.message set unit_id = :unit_id where account_id = :account_id;

-- name: update_token(id, token_hash, old_until, now)!
update relay.account set relay_token_hash = :token_hash, token_made_at = :now,
  old_token_hash = case when :old_until::timestamptz > :now then relay_token_hash end,
  old_token_until = case when :old_until::timestamptz > :now then :old_until end
where id = :id;

-- name: update_disabled(id, disabled_at)!
update relay.account set disabled_at = :disabled_at where id = :id;

-- name: end_session(id)!
-- somebody paired with it: from now on it is an account like any other
update relay.account set session_until = null where id = :id;

-- name: find_session(token_hash)
select a.id, a.session_until, a.disabled_at, pabal.now() as now,
  (select count(*) from relay.conversation c where c.account_id = a.id and c.state = 'paired')::int as paired,
  (select max(c.paired_at) from relay.conversation c where c.account_id = a.id and c.state = 'paired') as paired_at,
  (select max(c.plusfriend_user_key) from relay.conversation c where c.account_id = a.id and c.state = 'paired') as kakao_user_id
from relay.account a where a.relay_token_hash = :token_hash;

-- name: count_tries(address, since)
select count(*)::int from relay.session_try where address = :address and at > :since;

-- name: insert_try(address, now)!
insert into relay.session_try (address, at) values (:address, :now);

-- name: insert_code(code, account_id, expires_at, metadata, now)
insert into relay.pairing_code (code, account_id, expires_at, metadata, created_at)
values (:code, :account_id, :expires_at, :metadata, :now) on conflict do nothing returning code;

-- name: count_active_codes(account_id, now)
select count(*)::int from relay.pairing_code
where account_id = :account_id and used_at is null and revoked_at is null and expires_at > :now;

-- name: hold_code(code)
select p.code, p.account_id, a.name as account_name, a.unit_id, p.expires_at, p.used_at, p.used_by, p.metadata, p.created_at, p.revoked_at
from relay.pairing_code p join relay.account a on a.id = p.account_id where p.code = :code for no key update of p;

-- name: find_code(code)
select p.code, p.account_id, a.name as account_name, a.unit_id, p.expires_at, p.used_at, p.used_by, p.metadata, p.created_at, p.revoked_at
from relay.pairing_code p join relay.account a on a.id = p.account_id where p.code = :code;

-- name: use_code(code, used_by, now)!
update relay.pairing_code set used_at = :now, used_by = :used_by where code = :code;

-- name: revoke_code(code, now)!
update relay.pairing_code set revoked_at = :now where code = :code;

-- name: list_codes(units, account_id, with_ended, before, most, now)
select p.code, p.account_id, a.name as account_name, a.unit_id, p.expires_at, p.used_at, p.used_by, p.metadata, p.created_at, p.revoked_at
from relay.pairing_code p join relay.account a on a.id = p.account_id
where (:before::text is null or (p.created_at, p.code) < (select x.created_at, x.code from relay.pairing_code x where x.code = :before))
  and (:units::bigint[] is null or a.unit_id = any(:units::bigint[])) and (:account_id::uuid is null or p.account_id = :account_id)
  and (:with_ended::boolean or (p.used_at is null and p.revoked_at is null and p.expires_at > :now))
order by p.created_at desc, p.code desc limit :most;
