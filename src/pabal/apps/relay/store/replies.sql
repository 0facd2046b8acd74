-- A plan may be made while these tables are empty, when every index costs nothing, and is kept: what is looked up here is ordered as its
-- index is (`digest` behind `message_id`), or compared in a way no other index serves (`is true`). tests/apps/relay/store/test_plans.py

-- name: open_message(account_id, uid)
-- The first statement of a reply's transaction: the message, locked, and what was answered to it before.
select pabal.now(), m.id, m.unit_id, m.state, m.account_id, m.conversation_id, m.conversation_key, m.callback_url,
  m.kakao_payload #> '{userRequest,lang}' as lang, m.created_at, m.answer_by, m.callback_expires_at, m.readable_until, m.answered_at, m.called_at,
  (select coalesce(jsonb_agg(jsonb_build_object('digest', r.digest, 'is_late', r.is_late, 'response', r.response) order by r.id), '[]'::jsonb)
   from (select * from relay.reply r where r.message_id = m.id order by r.digest offset 0) r) as replies,
  (select r.id from relay.reply r where r.conversation_id = m.conversation_id and r.state = 'deferred' order by r.id limit 1) is not null as has_late,
  pabal.settings_of('relay') as settings
from (select) as one
left join lateral (
  select * from relay.message m where m.uid = :uid and (m.account_id = :account_id) is true for no key update) m on true;

-- name: list_replies(message_id)
select id, message_id, conversation_id, state, digest, response, received_at, ended_at, carried_by, detail
from (select * from relay.reply where message_id = :message_id order by digest offset 0) r order by id;

-- name: list_in_time(message_id)
-- What came late goes out with another message, also if this one is still waited for.
select id, message_id, conversation_id, state, digest, response, received_at, ended_at, carried_by, detail
from (select * from relay.reply where message_id = :message_id and not is_late order by digest offset 0) r order by id;

-- name: insert_reply(message_id, conversation_id, state, digest, response, keep_until, now)
with said as (
  insert into relay.reply (message_id, conversation_id, state, digest, is_late, response, keep_until, received_at)
  values (:message_id, :conversation_id, :state, :digest, :state = 'deferred', :response, :keep_until, :now)
  on conflict (message_id, digest) do nothing returning id),
noted as (
  update relay.message set answered_at = coalesce(answered_at, :now)
  where id = :message_id and :state = 'pending' and exists (select from said))
select id from said;

-- name: reply_and_use(message_id, conversation_id, digest, response, keep_until, now)
-- `insert_reply` and `use_address` in the statement that begins the callback (headstart.sql, insert_begun), of a message that is locked.
said as (
  insert into relay.reply (message_id, conversation_id, state, digest, is_late, response, keep_until, received_at)
  select :message_id::bigint, :conversation_id::bigint, 'pending', :digest::text, false, :response::jsonb, :keep_until::timestamptz,
    :now::timestamptz from body),
used as (
  update relay.message set answered_at = :now, called_at = :now where id = :message_id and exists (select from body));

-- name: use_address(id, now)
-- Marks its address as used, if it may be; answers the message as it was before, locked. What was answered is read in the next
-- statement: this one may have waited for an answer that its own snapshot does not show.
with held as materialized (
  select * from relay.message where id = :id for no key update),
used as (
  update relay.message m set called_at = :now from held h
  where m.id = h.id and h.state in ('queued', 'delivered') and h.called_at is null and h.callback_url is not null
    and h.callback_expires_at > :now)
select h.id, h.uid, h.state, h.conversation_id, h.kakao_payload, h.callback_url, h.callback_expires_at, h.created_at, h.called_at,
  pabal.settings_of('relay') as settings,
  (select r.id from relay.reply r where r.conversation_id = h.conversation_id and r.state = 'deferred' order by r.id limit 1) is not null as has_late
from held h;

-- name: hold_for_call(id)
select m.id, m.state, m.called_at from relay.message m where m.id = :id for no key update;

-- name: lock_deferred(conversation_id, now, most)
select id, message_id, conversation_id, state, digest, response, received_at, ended_at, carried_by, detail
from relay.reply where conversation_id = :conversation_id and state = 'deferred' and keep_until > :now
order by id limit :most for no key update skip locked;

-- name: carry(ids, carried_by)!
update relay.reply set state = 'carried', carried_by = :carried_by where id = any(:ids::bigint[]);

-- name: forget_call(id)!
-- Kakao cannot have seen it: the address may be used once more.
update relay.message set called_at = null where id = :id;

-- name: end_replies(message_id, state, detail, now)!
-- Those of the message itself, and late ones that went along with it.
update relay.reply set state = :state, detail = :detail, ended_at = :now
where (message_id = :message_id and state = 'pending') or (carried_by = :message_id and state = 'carried');

-- name: defer_replies(message_id, detail, now)
-- Nobody has seen them: they wait for the user's next message, as long as that makes sense.
update relay.reply r set carried_by = null, detail = :detail,
  state = case when r.keep_until > :now then 'deferred' else 'expired' end,
  ended_at = case when r.keep_until > :now then null else :now end
where (r.message_id = :message_id and r.state = 'pending') or (r.carried_by = :message_id and r.state = 'carried')
returning r.id, r.state;

-- name: expire_replies(now, most)
update relay.reply r set state = 'expired', ended_at = :now, detail = 'queue_time_over'
where r.id in (select id from relay.reply where state = 'deferred' and keep_until <= :now order by keep_until limit :most for no key update skip locked)
returning r.id;

-- name: drop_deferred(conversation_id, now)!
update relay.reply set state = 'expired', ended_at = :now, detail = 'unpaired'
where conversation_id = :conversation_id and state = 'deferred';

-- name: note_end(id, reason, detail, acked_at)!
update relay.message set end_reason = :reason, end_detail = :detail, acked_at = :acked_at, unread_until = null where id = :id;

-- name: note_expired(ids, reason)!
-- What nobody read stays readable.
update relay.message set end_reason = :reason where id = any(:ids::bigint[]);

-- name: lock_expired(now, most)
select m.id, m.unit_id, m.state, m.version from relay.message m
where m.state in ('queued', 'delivered') and m.answered_at is null and m.answer_by <= :now
order by m.answer_by limit :most for no key update skip locked;

-- name: lock_left(until, most)
-- Answered, and whoever waited for the answer on the line is gone with its server.
select m.id from relay.message m
where m.state in ('queued', 'delivered') and m.callback_url is null and m.answered_at is not null and m.answer_by <= :until
order by m.answer_by limit :most for no key update skip locked;

-- name: lock_open_of(conversation_id)
select m.id from relay.message m
where m.conversation_id = :conversation_id and m.state in ('queued', 'delivered') and m.answered_at is null order by m.id for no key update;

-- name: find_reply_state(account_id, uid)
select m.uid, m.state, m.answered_at, m.called_at, m.acked_at, m.end_reason, m.end_detail,
  (select jsonb_agg(jsonb_build_object('state', r.state, 'received_at', r.received_at, 'ended_at', r.ended_at, 'detail', r.detail) order by r.id)
   from (select * from relay.reply r where r.message_id = m.id order by r.digest offset 0) r) as replies
from relay.message m where m.uid = :uid and (m.account_id = :account_id) is true;

-- name: hold_deferred_reply(id)
select r.id, r.message_id, r.conversation_id, r.state, r.digest, r.response, r.received_at, r.ended_at, r.carried_by, r.detail
from relay.reply r where r.id = :id and r.state = 'deferred' for no key update;

-- name: find_address(conversation_id)
select kakao_channel_id, plusfriend_user_key, unit_id from relay.conversation where id = :conversation_id;

-- name: end_reply(id, state, detail, now)!
update relay.reply set state = :state, detail = :detail, ended_at = :now, carried_by = null where id = :id;

-- name: let_go(message_id)!
update relay.reply set state = 'deferred', carried_by = null where carried_by = :message_id and state = 'carried';

-- name: let_go_one(id)!
update relay.reply set state = 'deferred', carried_by = null where id = :id and state = 'carried';

-- name: note_acked(id, reason, now)
-- Kakao has the answer: the message's end, and that of all that went along. Locks the message, and answers what moves on.
with told as (
  update relay.reply set state = 'sent', detail = :reason, ended_at = :now
  where (message_id = :id and state = 'pending') or (carried_by = :id and state = 'carried'))
update relay.message m set end_reason = :reason, acked_at = :now, unread_until = null where m.id = :id
returning m.id, m.unit_id, m.state, m.version;

-- name: pick_called(uid, message_id, detail)
-- `note_acked` of a message that was handed out, in the statement that ends its callback (finishing.sql) and moves it (transitions.sql,
-- move_picked).
picked as materialized (
  select m.id, m.unit_id from relay.message m where m.uid = :uid and (m.state = 'delivered') is true and exists (select from held)
  for no key update of m),
sent as (
  update relay.reply set state = 'sent', detail = :detail, ended_at = pabal.now()
  where exists (select from picked) and (
    (message_id = :message_id and state = 'pending') or (carried_by = :message_id and state = 'carried')));

-- name: acked(end_reason)
end_reason = :end_reason, acked_at = pabal.now(), unread_until = null;
