-- name: fill(unit_id, accounts, conversations, limit, channel)
-- Accounts with known tokens, each with its users, all paired and just read from.
with made as (
  insert into relay.account (unit_id, openclaw_user_id, name, relay_token_hash, rate_limit_per_minute)
  select :unit_id, 'bench' || n, 'bench' || n, encode(sha256(('token' || n)::bytea), 'hex'), :limit from generate_series(0, :accounts::int - 1) n
  returning id, name),
used as (insert into relay.account_use (account_id, read_at) select id, pabal.now() from made)
insert into relay.conversation (conversation_key, kakao_channel_id, plusfriend_user_key, unit_id, account_id, state, paired_at)
select :channel || ':user' || c, :channel, 'user' || c, :unit_id, a.id, 'paired', pabal.now()
from generate_series(0, :conversations::int - 1) c join made a on a.name = 'bench' || (c % :accounts::int);
