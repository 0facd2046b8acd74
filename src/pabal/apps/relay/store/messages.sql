-- name: find_message(uid)
select m.id, m.uid, m.unit_id, m.state, m.version, m.account_id, a.name as account_name, m.conversation_id, m.conversation_key,
  m.kakao_payload, m.normalized, m.callback_url, m.callback_expires_at, m.answer_by, m.readable_until, m.source_event_id, m.created_at,
  m.delivered_at, m.handed_out, m.answered_at, m.called_at, m.acked_at, m.end_reason, m.end_detail, m.replay_of, m.asked_by
from relay.message m join relay.account a on a.id = m.account_id where m.uid = :uid;

-- name: find_uid(id)
select uid from relay.message where id = :id;

-- name: list_messages(units, states, account_id, conversation_id, since, until, q, before, most)
select m.id, m.uid, m.unit_id, m.state, m.version, m.account_id, a.name as account_name, m.conversation_id, m.conversation_key,
  m.kakao_payload, m.normalized, m.callback_url, m.callback_expires_at, m.answer_by, m.readable_until, m.source_event_id, m.created_at,
  m.delivered_at, m.handed_out, m.answered_at, m.called_at, m.acked_at, m.end_reason, m.end_detail, m.replay_of, m.asked_by
from relay.message m join relay.account a on a.id = m.account_id
where m.id < :before and (:units::bigint[] is null or m.unit_id = any(:units::bigint[]))
  and (:states::text[] is null or m.state = any(:states::text[])) and (:account_id::uuid is null or m.account_id = :account_id)
  and (:conversation_id::bigint is null or m.conversation_id = :conversation_id)
  and (:since::timestamptz is null or (m.id >= pabal.id_at(:since) and m.created_at >= :since))
  and (:until::timestamptz is null or m.created_at < :until)
  and (:q::text is null or strpos(lower(m.normalized->>'text'), lower(:q)) > 0)
order by m.id desc limit :most;

-- name: read_queue(units)
-- What health and the front page say. Only what waits is counted, whatever there was before.
select
  (select count(*) from relay.message m where m.unread_until is not null and m.state = 'queued'
    and (:units::bigint[] is null or m.unit_id = any(:units::bigint[])))::int as depth,
  (select extract(epoch from pabal.now() - min(m.created_at)) from relay.message m where m.unread_until is not null and m.state = 'queued'
    and (:units::bigint[] is null or m.unit_id = any(:units::bigint[])))::float as oldest_seconds,
  (select count(*) from relay.account a where a.disabled_at is null and a.session_until is null
    and (:units::bigint[] is null or a.unit_id = any(:units::bigint[])))::int as accounts;

-- name: delete_messages(until, most)!
delete from relay.message where id in (select id from relay.message where id < pabal.id_at(:until) order by id limit :most);

-- name: forget_unread(now)!
update relay.message set unread_until = null where unread_until <= :now;

-- name: delete_codes(now, used_before)!
delete from relay.pairing_code where (used_at is null and expires_at < :now) or used_at < :used_before;

-- name: delete_sessions(until)!
delete from relay.account a where a.session_until < :until and not exists (select from relay.conversation c where c.account_id = a.id)
  and not exists (select from relay.message m where m.account_id = a.id);

-- name: delete_conversations(until, most)!
-- of strangers who never paired, and users whose messages are gone
delete from relay.conversation where id in (
  select c.id from relay.conversation c where c.state = 'unpaired' and c.last_seen_at < :until
    and not exists (select from relay.message m where m.conversation_id = c.id) limit :most);

-- name: delete_tries(until)!
delete from relay.session_try where at < :until;

-- name: find_id(uid)
select id from relay.message where uid = :uid;
