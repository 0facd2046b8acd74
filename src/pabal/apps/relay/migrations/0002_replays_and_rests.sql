-- A replay: what a user said, said once more to an account by somebody who runs it. Nobody outside is at its other end, so that it has no
-- address to call; its answers are shown to those who may see it, and sent to nobody. The original may be gone by now.
alter table relay.message add column replay_of uuid;
alter table relay.message add constraint a_replay_has_no_address check (replay_of is null or callback_url is null);
alter table relay.reply drop constraint reply_state_check;
alter table relay.reply add constraint reply_state_check
  check (state in ('pending', 'sent', 'deferred', 'carried', 'expired', 'failed', 'unknown', 'shown'));

-- What of a long answer did not fit: its user has a button for it. One to a conversation, the newest.
create table relay.rest (
  conversation_id bigint primary key references relay.conversation (id) on delete cascade,
  -- none where nobody was asked: late answers that came along with a text of our own
  message_id bigint references relay.message (id) on delete cascade,
  outputs jsonb not null,
  keep_until timestamptz not null,
  -- the last press of the button and what it was answered: the same request again is answered alike
  pressed_event text,
  pressed_answer jsonb
);
create index rest_message on relay.rest (message_id);
create index rest_ends on relay.rest (keep_until);
