-- name: find_conversation(id)
select c.id, c.unit_id, c.state, c.version, c.conversation_key, c.kakao_channel_id, c.plusfriend_user_key, c.account_id,
  a.name as account_name, c.paired_at, c.first_seen_at, c.last_seen_at, c.last_callback_url, c.last_callback_url_expires_at, c.blocked_until,
  (select count(*) from relay.message m where m.conversation_id = c.id)::int as messages
from relay.conversation c left join relay.account a on a.id = c.account_id where c.id = :id;

-- name: find_by_key(conversation_key)
select c.id from relay.conversation c where c.conversation_key = :conversation_key;

-- name: list_conversations(units, states, account_id, q, before, most)
select c.id, c.unit_id, c.state, c.version, c.conversation_key, c.kakao_channel_id, c.plusfriend_user_key, c.account_id,
  a.name as account_name, c.paired_at, c.first_seen_at, c.last_seen_at, c.last_callback_url, c.last_callback_url_expires_at, c.blocked_until,
  (select count(*) from relay.message m where m.conversation_id = c.id)::int as messages
from relay.conversation c left join relay.account a on a.id = c.account_id
where c.id < :before and c.kakao_channel_id not in ('replay', 'question') and (:units::bigint[] is null or c.unit_id = any(:units::bigint[]))
  and (:states::text[] is null or c.state = any(:states::text[])) and (:account_id::uuid is null or c.account_id = :account_id)
  and (:q::text is null or strpos(lower(c.conversation_key), lower(:q)) > 0 or strpos(lower(a.name), lower(:q)) > 0)
order by c.id desc limit :most;

-- name: hold_conversation(id)
select c.id, c.unit_id, c.state, c.account_id, c.conversation_key from relay.conversation c where c.id = :id for no key update;

-- name: update_pairing(id, account_id, unit_id, paired_at)!
update relay.conversation set account_id = :account_id, unit_id = :unit_id, paired_at = :paired_at, failures = 0, failures_since = null,
  blocked_until = null
where id = :id;

-- name: note_failure(id, failures, since, blocked_until)!
update relay.conversation set failures = :failures, failures_since = :since, blocked_until = :blocked_until where id = :id;

-- name: list_of_account(account_id, most, skip)
select c.conversation_key, c.state, c.paired_at, c.last_seen_at, count(*) over ()::int as total
from relay.conversation c where c.account_id = :account_id and c.state in ('pending', 'paired')
order by c.id limit :most offset :skip;

-- name: find_of_account(account_id, conversation_key)
select c.id from relay.conversation c where c.account_id = :account_id and c.conversation_key = :conversation_key;
