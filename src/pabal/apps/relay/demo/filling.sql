-- name: find_unit(name)
select u.id from pabal.unit u where u.is_demo and u.name like :name || '%' order by u.id limit 1;

-- name: list_demo_accounts()
select a.id, a.name from relay.account a join pabal.unit u on u.id = a.unit_id where u.is_demo order by a.number;

-- name: delete_replies()!
delete from relay.reply r using relay.message m, relay.account a, pabal.unit u
where m.id = r.message_id and a.id = m.account_id and u.id = a.unit_id and u.is_demo;

-- name: delete_messages()!
delete from relay.message m using relay.account a, pabal.unit u where a.id = m.account_id and u.id = a.unit_id and u.is_demo;

-- name: delete_conversations(channel)!
-- unit: the demo's own, whoever asks
delete from relay.conversation c where c.kakao_channel_id = :channel
  or c.account_id in (select a.id from relay.account a join pabal.unit u on u.id = a.unit_id where u.is_demo)
  or c.unit_id in (select u.id from pabal.unit u where u.is_demo);

-- name: delete_accounts()!
delete from relay.account a using pabal.unit u where u.id = a.unit_id and u.is_demo;

-- name: update_token(id, token_hash, now)!
update relay.account set relay_token_hash = :token_hash, token_made_at = :now, old_token_hash = null, old_token_until = null where id = :id;
