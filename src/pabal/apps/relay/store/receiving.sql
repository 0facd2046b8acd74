-- name: meet(conversation_key)
-- The first statement of a webhook's transaction. Locked: messages of one conversation get their numbers in the order of their commits.
select pabal.now(), c.id, c.unit_id, c.state, c.account_id, c.failures_since, c.failures, c.blocked_until,
  a.name as account_name, a.disabled_at, u.read_at, u.asleep_at, pabal.settings_of('relay') as settings
from (select) as one
left join lateral (select * from relay.conversation c where c.conversation_key = :conversation_key for no key update) c on true
left join relay.account a on a.id = c.account_id
left join relay.account_use u on u.account_id = c.account_id;

-- name: insert_conversation(conversation_key, kakao_channel_id, plusfriend_user_key, now)
insert into relay.conversation (conversation_key, kakao_channel_id, plusfriend_user_key, first_seen_at, last_seen_at)
values (:conversation_key, :kakao_channel_id, :plusfriend_user_key, :now, :now)
on conflict do nothing returning id;

-- name: note_seen(id, now)!
update relay.conversation set last_seen_at = :now where id = :id;

-- name: insert_message(uid, unit_id, account_id, conversation_id, conversation_key, kakao_channel_id, kakao_payload, normalized, callback_url, callback_expires_at, answer_by, readable_until, source_event_id, join_key, now)
-- A part of the statement that also begins its history (transitions.begin_inserted). Nothing comes of it when the same request was here before.
begun as (
  insert into relay.message (uid, unit_id, account_id, conversation_id, conversation_key, kakao_channel_id, kakao_payload, normalized,
    callback_url, callback_expires_at, answer_by, readable_until, unread_until, source_event_id, join_key, created_at)
  values (:uid, :unit_id, :account_id, :conversation_id, :conversation_key, :kakao_channel_id, :kakao_payload, :normalized,
    :callback_url, :callback_expires_at, :answer_by, :readable_until, :readable_until, :source_event_id, :join_key, :now)
  on conflict do nothing returning id, unit_id),
seen as (
  update relay.conversation c set last_seen_at = :now, last_callback_url = coalesce(:callback_url, c.last_callback_url),
    last_callback_url_expires_at = case when :callback_url::text is null then c.last_callback_url_expires_at else :callback_expires_at end
  where c.id = :conversation_id and exists (select from begun));

-- name: queue_at_once(uid, conversation_key, kakao_channel_id, kakao_payload, normalized, callback_url, life, margin, queue_time, asleep_after, source_event_id, join_key, settings)
-- The same without a transaction around it (transitions.begin_at_once), for what needs no thought: a user who is paired with somebody who
-- reads, and settings that are as we know them. Whatever else it is, nothing comes of it.
met as materialized (
  select c.id, c.unit_id, c.account_id from relay.conversation c where c.conversation_key = :conversation_key and c.state = 'paired'
  for no key update),
awake as (
  select m.* from met m join relay.account a on a.id = m.account_id join relay.account_use u on u.account_id = m.account_id
  where a.disabled_at is null and u.read_at >= pabal.now() - :asleep_after::interval and pabal.settings_of('relay') = :settings::jsonb),
begun as (
  insert into relay.message (uid, unit_id, account_id, conversation_id, conversation_key, kakao_channel_id, kakao_payload, normalized,
    callback_url, callback_expires_at, answer_by, readable_until, unread_until, source_event_id, join_key, created_at)
  select :uid::uuid, a.unit_id, a.account_id, a.id, :conversation_key::text, :kakao_channel_id::text, :kakao_payload::jsonb, :normalized::jsonb,
    :callback_url::text, t.now + :life::interval, t.now + greatest(:life::interval - :margin::interval, interval '0'),
    t.now + greatest(:life::interval, :queue_time::interval), t.now + greatest(:life::interval, :queue_time::interval),
    :source_event_id::text, :join_key::text, t.now
  from awake a cross join (select pabal.now() as now) t
  on conflict do nothing returning id, unit_id, account_id, conversation_id, callback_expires_at, answer_by, created_at),
seen as (
  update relay.conversation c set last_seen_at = b.created_at, last_callback_url = coalesce(:callback_url, c.last_callback_url),
    last_callback_url_expires_at = case when :callback_url::text is null then c.last_callback_url_expires_at else b.callback_expires_at end
  from begun b where c.id = b.conversation_id);

-- name: find_repeated(kakao_channel_id, source_event_id, conversation_id, join_key)
select m.id, m.uid, m.state, m.callback_url is not null as has_callback, m.end_reason
from relay.message m
where (m.kakao_channel_id = :kakao_channel_id and m.source_event_id = :source_event_id)
  or (m.conversation_id = :conversation_id and m.join_key = :join_key and m.state in ('queued', 'delivered'));

-- name: find_waiting(uid)
select m.id, m.state, m.answered_at from relay.message m where m.uid = :uid for no key update;

-- name: find_open_uids(uids)
-- of requests whose commit nobody could tell of
select m.id from relay.message m where m.uid = any(:uids::uuid[]) and m.state in ('queued', 'delivered') and m.called_at is null
for no key update;
