-- name: lock_conversations()!
select id from relay.conversation for update;
