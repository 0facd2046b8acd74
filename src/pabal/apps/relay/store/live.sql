-- name: list_recent(units, states, account_id, since, most)
-- What waits first, the most urgent on top; then the newest. `total` counts what the list leaves out, too.
select m.id, m.uid, m.state, m.account_id, a.name as account_name, m.conversation_id, m.conversation_key,
  coalesce(m.normalized->>'text', '') as text, m.answer_by, m.created_at, m.delivered_at, m.handed_out, m.answered_at, m.acked_at,
  m.end_reason, m.replay_of is not null as is_replay, m.asked_by is not null as is_question, r.state as reply_state, r.received_at as replied_at, count(*) over ()::int as total
from relay.message m join relay.account a on a.id = m.account_id
left join lateral (select r.state, r.received_at from relay.reply r where r.message_id = m.id order by r.id desc limit 1) r on true
where m.id >= pabal.id_at(:since) and (:units::bigint[] is null or m.unit_id = any(:units::bigint[]))
  and (:states::text[] is null or m.state = any(:states::text[])) and (:account_id::uuid is null or m.account_id = :account_id)
order by case when m.state in ('queued', 'delivered') then m.answer_by end nulls last, m.id desc limit :most;

-- name: read_figures(units, since, failed_since, now)
with recent as (
  select m.state, m.created_at, m.acked_at from relay.message m
  where m.id >= pabal.id_at(:since) and m.replay_of is null and m.asked_by is null and (:units::bigint[] is null or m.unit_id = any(:units::bigint[])))
select
  count(*) filter (where r.state in ('queued', 'delivered'))::int as waiting,
  min(r.created_at) filter (where r.state = 'queued') as oldest_unread_at,
  percentile_cont(0.5) within group (order by extract(epoch from r.acked_at - r.created_at)::float) filter (where r.state = 'acked')
    as median_seconds,
  count(*) filter (where r.state = 'acked')::int as answered,
  count(*) filter (where r.state not in ('queued', 'delivered'))::int as ended,
  (select count(*) from relay.message m where m.id >= pabal.id_at(:failed_since) and m.state = 'failed'
    and m.end_reason not in ('withdrawn', 'unpaired', 'question_withdrawn') and (:units::bigint[] is null or m.unit_id = any(:units::bigint[])))::int as failed,
  (select count(*) from relay.reply p join relay.message m on m.id = p.message_id where p.state = 'deferred' and p.keep_until > :now
    and (:units::bigint[] is null or m.unit_id = any(:units::bigint[])))::int as kept
from recent r;

-- name: list_last_ends(units, since, most)
select m.state from relay.message m
where m.id >= pabal.id_at(:since) and m.state not in ('queued', 'delivered') and m.replay_of is null and m.asked_by is null
  and (:units::bigint[] is null or m.unit_id = any(:units::bigint[]))
order by m.id desc limit :most;

-- name: list_failed(units, since, most)
-- Answers that did not reach Kakao, or of which nobody knows.
select m.id, m.uid, a.name as account_name, coalesce(m.normalized->>'text', '') as text, m.end_reason, m.created_at as at
from relay.message m join relay.account a on a.id = m.account_id
where m.id >= pabal.id_at(:since) and m.state = 'failed' and m.end_reason not in ('withdrawn', 'unpaired', 'question_withdrawn')
  and (:units::bigint[] is null or m.unit_id = any(:units::bigint[]))
order by m.id desc limit :most;

-- name: list_asleep(units, most)
-- Accounts somebody wrote to since nobody reads them, and how many users that were.
select a.id, a.name, u.asleep_at,
  (select count(*) from relay.conversation c where c.account_id = a.id and c.state = 'paired' and c.last_seen_at >= u.asleep_at)::int as users
from relay.account_use u join relay.account a on a.id = u.account_id
where u.asleep_at is not null and a.disabled_at is null and (:units::bigint[] is null or a.unit_id = any(:units::bigint[]))
order by u.asleep_at limit :most;

-- name: count_pending(units)
select count(*)::int from relay.conversation c where c.state = 'pending' and (:units::bigint[] is null or c.unit_id = any(:units::bigint[]));

-- name: list_guessing(units, now, most)
select c.id, c.conversation_key, c.state, c.blocked_until, c.last_seen_at, count(*) over ()::int as total
from relay.conversation c
where c.blocked_until > :now and (:units::bigint[] is null or c.unit_id = any(:units::bigint[]))
order by c.blocked_until desc limit :most;

-- name: count_pushed(units, account_id, since)
-- An answer may have come up to a day before it was pushed.
select count(*)::int from relay.reply r join relay.message m on m.id = r.message_id
where r.id >= pabal.id_at(:since::timestamptz - interval '1 day') and r.state = 'sent' and r.detail = 'pushed' and r.ended_at >= :since
  and (:units::bigint[] is null or m.unit_id = any(:units::bigint[])) and (:account_id::uuid is null or m.account_id = :account_id);

-- name: list_carried(message_id)
-- Late answers to earlier messages that went out with this one.
select r.id, r.message_id, r.conversation_id, r.state, r.digest, r.response, r.received_at, r.ended_at, r.carried_by, r.detail
from relay.reply r where r.carried_by = :message_id and r.message_id <> :message_id order by r.id;

-- name: count_ends(units, since)
select m.state, count(*)::int as count from relay.message m
where m.id >= pabal.id_at(:since) and m.replay_of is null and m.asked_by is null and (:units::bigint[] is null or m.unit_id = any(:units::bigint[]))
group by 1;

-- name: read_oldest_unread()
select m.unit_id, extract(epoch from pabal.now() - min(m.created_at))::float as seconds
from relay.message m where m.unread_until is not null and m.state = 'queued' and m.replay_of is null and m.asked_by is null group by 1;

-- name: count_failed(since)
select m.unit_id, count(*)::int as count from relay.message m
where m.id >= pabal.id_at(:since) and m.state = 'failed' and m.end_reason not in ('withdrawn', 'unpaired', 'question_withdrawn') group by 1;

-- name: count_asleep()
select a.unit_id, count(*)::int as count from relay.account_use u join relay.account a on a.id = u.account_id
where u.asleep_at is not null and a.disabled_at is null group by 1;

-- name: count_guessing(now)
select count(*)::int from relay.conversation where blocked_until > :now;
