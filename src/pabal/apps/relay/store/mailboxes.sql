-- name: take_request(token_hash, window)
-- Who holds this token, one more of its requests counted. The count is worth no wait for the disk.
with known as (
  select a.* from relay.account a where a.relay_token_hash = :token_hash
  union all
  select a.* from relay.account a where a.old_token_hash = :token_hash and a.old_token_until > pabal.now()),
used as (
  update relay.account_use u
  set window_began_at = case when u.window_began_at > pabal.now() - :window::interval then u.window_began_at else pabal.now() end,
    used = case when u.window_began_at > pabal.now() - :window::interval then least(u.used + 1, 2000000000) else 1 end
  from known k where u.account_id = k.id
  returning u.account_id, u.used, u.window_began_at, u.read_at, u.asleep_at)
select pabal.now() as now, k.id, k.unit_id, k.name, k.rate_limit_per_minute, k.session_until, k.disabled_at,
  u.used, u.window_began_at + :window::interval as window_ends_at, u.asleep_at, set_config('synchronous_commit', 'off', true)
from known k join used u on u.account_id = k.id;

-- name: note_read(accounts, now)
-- Whoever was asleep and is back.
with back as (
  select u.account_id, u.asleep_at from relay.account_use u where u.account_id = any(:accounts::uuid[]) for no key update),
noted as (
  update relay.account_use u set read_at = :now, asleep_at = null from back where u.account_id = back.account_id)
select a.id, a.unit_id, a.name, back.asleep_at from back join relay.account a on a.id = back.account_id
where back.asleep_at is not null;

-- name: note_asleep(account_id, now)!
update relay.account_use set asleep_at = :now where account_id = :account_id and asleep_at is null;

-- name: list_due_accounts()
-- Accounts with something to hand out: what waits, and what was handed out and not answered in its time.
select distinct m.account_id from relay.message m where m.unread_until is not null and m.unread_until > pabal.now()
union
select distinct m.account_id from relay.message m
where m.state = 'delivered' and m.answered_at is null and m.visible_at <= pabal.now() and m.answer_by > pabal.now();

-- name: list_gone(accounts, hashes)
-- Of readers, by account and token, those who may read no longer.
select r.account_id, r.token_hash, a.disabled_at is not null as is_disabled, coalesce(a.session_until <= pabal.now(), false) as is_over
from unnest(:accounts::uuid[], :hashes::text[]) as r(account_id, token_hash)
left join relay.account a on a.id = r.account_id
where a.id is null or a.disabled_at is not null or a.session_until <= pabal.now()
  or not (a.relay_token_hash = r.token_hash or coalesce(a.old_token_hash = r.token_hash and a.old_token_until > pabal.now(), false));

-- name: list_paired(accounts)
select distinct on (c.account_id) c.account_id, c.plusfriend_user_key, c.paired_at from relay.conversation c
where c.account_id = any(:accounts::uuid[]) and c.state = 'paired' order by c.account_id, c.paired_at desc;

-- name: lock_unanswered(accounts, rooms)
select m.id, m.unit_id, m.state, m.version, m.account_id, m.uid, m.conversation_key, m.kakao_payload, m.normalized,
  m.created_at, m.callback_url, m.callback_expires_at, m.answer_by, m.handed_out
from unnest(:accounts::uuid[], :rooms::int[]) as a(id, room)
cross join lateral (
  select * from relay.message m
  where m.account_id = a.id and m.state = 'delivered' and m.answered_at is null and m.visible_at <= pabal.now() and m.answer_by > pabal.now()
  order by m.visible_at limit a.room for no key update skip locked) m
order by m.id;

-- name: lock_after(account_id, reader, after, room)
-- What this reader was handed after what it says it saw: lost on its way.
select m.id, m.unit_id, m.state, m.version, m.account_id, m.uid, m.conversation_key, m.kakao_payload, m.normalized,
  m.created_at, m.callback_url, m.callback_expires_at, m.answer_by, m.handed_out
from relay.message m
where m.account_id = :account_id and m.state = 'delivered' and m.answered_at is null and m.reader = :reader and m.handed_number > :after
  and m.answer_by > pabal.now()
order by m.handed_number limit :room for no key update skip locked;

-- name: open_batch(accounts, rooms)
-- The first statement of a transaction that hands out: a number, and what these accounts have not read, locked; one row at least. What
-- it writes is worth no wait for the disk: lost with the machine, it is handed out once more.
select pabal.now(), b.number, case when row_number() over (order by m.id) = 1 then b.settings end as settings,
  m.id, m.unit_id, m.state, m.version, m.account_id, m.uid, m.conversation_key, m.kakao_payload, m.normalized,
  m.created_at, m.callback_url, m.callback_expires_at, m.answer_by, m.handed_out
from (
  select nextval('relay.handed_number') as number, pabal.settings_of('relay') as settings, set_config('synchronous_commit', 'off', true)
  offset 0) b
left join (
  select m.* from unnest(:accounts::uuid[], :rooms::int[]) as a(id, room)
  cross join lateral (
    select * from relay.message m where m.account_id = a.id and m.unread_until is not null and m.unread_until > pabal.now()
    order by m.id limit a.room for no key update skip locked) m offset 0) m on true
order by m.id;

-- name: pick_new(accounts, readers, rooms, most, settings)
-- A part of the statement that hands out what is new (transitions.move_at_once), as `open_batch` has it. Accounts that left something
-- unread until it expired are left alone: that comes first, and does not become delivered.
batch as materialized (
  select nextval('relay.handed_number') as number, set_config('synchronous_commit', 'off', true)
  where pabal.settings_of('relay') = :settings::jsonb),
picked as materialized (
  select m.id, m.unit_id, m.state, m.version, m.account_id, m.uid, m.conversation_key, m.kakao_payload, m.normalized,
    m.created_at, m.callback_url, m.callback_expires_at, m.answer_by, m.handed_out, m.taker,
    b.number * :most::bigint + row_number() over (order by m.id) - 1 as number
  from batch b cross join (
    select m.* from (
      select m.*, a.reader as taker, bool_and(m.state = 'queued') over (partition by m.account_id) as is_all_new
      from unnest(:accounts::uuid[], :readers::text[], :rooms::int[]) as a(id, reader, room)
      cross join lateral (
        select * from relay.message m where m.account_id = a.id and m.unread_until is not null and m.unread_until > pabal.now()
        order by m.id limit a.room for no key update skip locked) m) m
    where m.is_all_new order by m.id limit :most::bigint) m);

-- name: handed_out_at_once(visibility)
delivered_at = coalesce(s.delivered_at, pabal.now()), unread_until = null, visible_at = pabal.now() + :visibility::interval,
  handed_out = least(s.handed_out + 1, 32000), reader = p.taker, handed_number = p.number;

-- name: note_handed_out(ids, readers, numbers, visible_at, now)!
update relay.message m
set delivered_at = coalesce(m.delivered_at, :now), unread_until = null, visible_at = :visible_at, handed_out = least(m.handed_out + 1, 32000),
  reader = h.reader, handed_number = h.number
from unnest(:ids::bigint[], :readers::text[], :numbers::bigint[]) as h(id, reader, number)
where m.id = h.id;

-- name: handed_out(readers, numbers, visible_at, now)
-- The same as columns of the statement that moves them (transitions.move_noting).
delivered_at = coalesce(s.delivered_at, :now), unread_until = null, visible_at = :visible_at, handed_out = least(s.handed_out + 1, 32000),
  reader = (:readers::text[])[f.number], handed_number = (:numbers::bigint[])[f.number];

-- name: hand_back(ids, now)
-- Its reader went before it was read: the next one gets it at once.
update relay.message m set visible_at = :now
where m.id = any(:ids::bigint[]) and m.state = 'delivered' and m.answered_at is null
returning m.account_id;

-- name: ack(account_id, uids, visible_at)
-- Received, says its reader: it is not handed out again.
update relay.message m set visible_at = :visible_at
where m.account_id = :account_id and m.uid = any(:uids::uuid[]) and m.state = 'delivered' returning m.uid;

-- name: find_token(token_hash)
select 1 from relay.account a where a.relay_token_hash = :token_hash and a.disabled_at is null
union all
select 1 from relay.account a where a.old_token_hash = :token_hash and a.old_token_until > pabal.now() and a.disabled_at is null;
