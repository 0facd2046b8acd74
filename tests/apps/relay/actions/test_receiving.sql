-- name: list_notices()
select name, unit_id from pabal.notification order by id;

-- name: find_kim()
select id from relay.conversation where plusfriend_user_key = 'kim';

-- name: find_lee()
select conversation_key, kakao_channel_id, plusfriend_user_key, account_id, state, paired_at, last_seen_at - first_seen_at as seen
from relay.conversation where plusfriend_user_key = 'lee';

-- name: find_callback()
select last_callback_url, last_callback_url_expires_at - last_seen_at as life from relay.conversation where plusfriend_user_key = 'kim';
