-- name: count_strangers()
select count(*) from relay.conversation where plusfriend_user_key = 'stranger';

-- name: count_replies()
select count(*) from relay.reply;
