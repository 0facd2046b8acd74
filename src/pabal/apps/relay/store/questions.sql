-- name: insert_question(uid, asked_by, asked_key, unit_id, account_id, conversation_id, conversation_key, channel, payload, normalized, until, now)
insert into relay.message (uid, asked_by, asked_key, unit_id, account_id, conversation_id, conversation_key, kakao_channel_id, kakao_payload,
  normalized, callback_expires_at, answer_by, readable_until, unread_until, created_at)
values (:uid, :asked_by, :asked_key, :unit_id, :account_id, :conversation_id, :conversation_key, :channel, :payload, :normalized,
  :until, :until, :until, :until, :now)
returning id;

-- name: find_open_question(asked_key)
select id from relay.message where asked_key = :asked_key and state in ('queued', 'delivered') for no key update;
