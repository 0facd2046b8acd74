-- name: find_conversation(conversation_key, channel, account_id, unit_id, now)
-- Of everything that is replayed to one account, or asked by workflows; it belongs where the account does, and is paired with nobody.
insert into relay.conversation (conversation_key, kakao_channel_id, plusfriend_user_key, unit_id, first_seen_at, last_seen_at)
values (:conversation_key, :channel, :account_id::uuid::text, :unit_id, :now, :now)
on conflict (conversation_key) do update set unit_id = excluded.unit_id, last_seen_at = excluded.last_seen_at
returning id, first_seen_at = :now as is_new;

-- name: insert_replay(uid, replay_of, unit_id, account_id, conversation_id, conversation_key, channel, payload, normalized, expires_at, answer_by, readable_until, now)
insert into relay.message (uid, replay_of, unit_id, account_id, conversation_id, conversation_key, kakao_channel_id, kakao_payload, normalized,
  callback_expires_at, answer_by, readable_until, unread_until, created_at)
values (:uid, :replay_of, :unit_id, :account_id, :conversation_id, :conversation_key, :channel, :payload, :normalized,
  :expires_at, :answer_by, :readable_until, :readable_until, :now)
returning id;

-- name: insert_shown(message_id, conversation_id, digest, response, keep_until, detail, now)!
-- An answer to a replay or a question: with those who look, and with nobody else.
with said as (
  insert into relay.reply (message_id, conversation_id, state, digest, is_late, response, keep_until, received_at, ended_at, detail)
  values (:message_id, :conversation_id, 'shown', :digest, false, :response, :keep_until, :now, :now, :detail)
  on conflict (message_id, digest) do nothing returning message_id)
update relay.message set answered_at = coalesce(answered_at, :now) where id in (select message_id from said);
