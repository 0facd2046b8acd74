-- name: give_address(id)!
update relay.message set callback_url = 'https://bot-api.kakao.com/v1/bots/b/callback/1' where id = :id;

-- name: count_conversations()
select count(*) from relay.conversation where kakao_channel_id = 'replay';
