-- name: list_facts(subject)
select name, unit_id, at, data from pabal.fact where subject = :subject order by seq;

-- name: find_seen(conversation_id)
select last_seen_at, last_callback_url, last_callback_url_expires_at from relay.conversation where id = :conversation_id;
