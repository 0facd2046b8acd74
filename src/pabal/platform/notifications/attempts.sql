-- name: find_outgoing(id, now)
select d.id, d.channel_id, c.kind, d.notification_id is null and not d.is_call as is_test, d.text, d.link, d.document_key,
       d.document_name, d.replay_of, (select count(*) from pabal.notification_attempt a where a.delivery_id = d.id) as attempts,
       c.address, c.sealed_token, case when c.before_until > :now then c.sealed_before end as sealed_before,
       c.is_active and c.stopped_at is null as is_open
from pabal.notification_delivery d join pabal.notification_channel c on c.id = d.channel_id
where d.id = :id and d.ended_at is null and c.kind <> 'telegram';

-- name: insert_attempt(delivery_id, status, reason, ms, now)!
-- nothing where the delivery went with its channel meanwhile
insert into pabal.notification_attempt (delivery_id, number, at, status, reason, ms)
select d.id, coalesce((select max(number) from pabal.notification_attempt a where a.delivery_id = d.id), 0) + 1,
       :now, :status, :reason, :ms
from pabal.notification_delivery d where d.id = :delivery_id;

-- name: list_attempts(delivery_id)
select number, at, status, reason, ms from pabal.notification_attempt where delivery_id = :delivery_id order by number;

-- name: note_failure(id, error, now)
update pabal.notification_channel
set failures = failures + 1, failing_since = coalesce(failing_since, :now), last_error = :error, last_error_at = :now
where id = :id returning failures, failing_since;

-- name: note_arrival(id, now)!
update pabal.notification_channel
set failures = 0, failing_since = null, last_ok_at = :now, last_error = null, last_error_at = null, stopped_at = null
where id = :id;

-- name: pause_channel(id, address, now)!
update pabal.notification_channel set stopped_at = :now where id = :id and address = :address and stopped_at is null;

-- name: open_channel(id)!
update pabal.notification_channel set stopped_at = null, failures = 0, failing_since = null where id = :id;

-- name: update_secret(id, sealed_token, token_tail, sealed_before, before_until)!
update pabal.notification_channel
set sealed_token = :sealed_token, token_tail = :token_tail, sealed_before = :sealed_before, before_until = :before_until
where id = :id;

-- name: find_secret(id)
select sealed_token from pabal.notification_channel where id = :id;

-- name: insert_missed(channel_id, notification_id, text, link, document_key, document_name, detail, now)
insert into pabal.notification_delivery
  (channel_id, notification_id, text, link, document_key, document_name, created_at, result, detail, ended_at)
values (:channel_id, :notification_id, :text, :link, :document_key, :document_name, :now, 'failed', :detail, :now) returning id;

-- name: find_said(channel_id, id)
select d.id, coalesce(d.replay_of, d.id) as first_id, d.notification_id, d.text, d.link, d.document_key, d.document_name, d.is_call,
       d.ended_at is null or exists (select from pabal.notification_delivery o
         where o.replay_of = coalesce(d.replay_of, d.id) and o.ended_at is null) as is_open
from pabal.notification_delivery d where d.id = :id and d.channel_id = :channel_id;

-- name: list_said(channel_id, since, also_sent, most)
-- each by its first delivery; what was replayed is judged by all its deliveries together
select d.id, d.id as first_id, d.notification_id, d.text, d.link, d.document_key, d.document_name, d.is_call, false as is_open
from pabal.notification_delivery d
where d.channel_id = :channel_id and d.id >= pabal.id_at(:since::timestamptz) and d.replay_of is null and d.ended_at is not null
  and (d.notification_id is not null or d.is_call) and (:also_sent or d.result <> 'sent')
  and not exists (select from pabal.notification_delivery o where o.replay_of = d.id
                  and (o.ended_at is null or (o.result = 'sent' and not :also_sent)))
order by d.id limit :most;
