-- Accounts are OpenClaw instances, conversations are KakaoTalk users, messages are what users said and what became of it.
create schema relay;

create table relay.account (
  id uuid primary key default gen_random_uuid(),
  -- the order they were made in, for lists
  number bigint not null unique default pabal.new_id(),
  unit_id bigint not null references pabal.unit (id),
  openclaw_user_id text not null unique check (char_length(openclaw_user_id) between 1 and 200),
  name text not null check (char_length(name) between 1 and 100),
  -- SHA-256; the token itself is shown once and kept nowhere
  relay_token_hash text not null unique,
  token_made_at timestamptz not null default pabal.now(),
  -- the token before it, which still works for a while
  old_token_hash text unique,
  old_token_until timestamptz,
  rate_limit_per_minute integer not null default 60 check (rate_limit_per_minute between 1 and 1000000),
  -- a right code is not enough: its owner decides
  asks_owner boolean not null default false,
  -- an instance made it by itself: without a pairing until then it goes again
  session_until timestamptz,
  created_at timestamptz not null default pabal.now(),
  disabled_at timestamptz,
  constraint an_old_token_ends check ((old_token_hash is null) = (old_token_until is null))
);
create index account_unit on relay.account (unit_id, number);
create index account_session on relay.account (session_until) where session_until is not null;

-- What changes with every request of an account, apart from what rarely does.
create table relay.account_use (
  account_id uuid primary key references relay.account (id) on delete cascade,
  window_began_at timestamptz not null default '-infinity',
  used integer not null default 0,
  read_at timestamptz,
  asleep_at timestamptz
) with (fillfactor = 50);

-- A KakaoTalk user at a channel, and the account it is paired with.
create table relay.conversation (
  id bigint generated always as identity primary key,
  conversation_key text not null unique,
  kakao_channel_id text not null,
  plusfriend_user_key text not null,
  -- its account's; without one it belongs to nobody, and only the whole house sees it
  unit_id bigint references pabal.unit (id),
  account_id uuid references relay.account (id),
  state text not null default 'unpaired' check (state in ('unpaired', 'pending', 'paired', 'blocked')),
  version integer not null default 1,
  last_callback_url text,
  last_callback_url_expires_at timestamptz,
  first_seen_at timestamptz not null default pabal.now(),
  last_seen_at timestamptz not null default pabal.now(),
  paired_at timestamptz,
  -- wrong codes: since when they are counted, how many, and until when no other is looked at
  failures_since timestamptz,
  failures integer not null default 0,
  blocked_until timestamptz,
  unique (kakao_channel_id, plusfriend_user_key),
  constraint whoever_waits_or_is_paired_has_an_account check (state not in ('pending', 'paired') or account_id is not null)
) with (fillfactor = 70);
create index conversation_account on relay.conversation (account_id);
create index conversation_unit on relay.conversation (unit_id, id);
create index conversation_guessing on relay.conversation (blocked_until) where blocked_until is not null;

-- What a user said. Names of the requirements' inbound_messages are in the views of REST and exports.
create table relay.message (
  id bigint primary key default pabal.new_id(),
  -- what instances know it by
  uid uuid not null unique default gen_random_uuid(),
  unit_id bigint references pabal.unit (id),
  account_id uuid not null references relay.account (id),
  conversation_id bigint not null references relay.conversation (id) on delete cascade,
  conversation_key text not null,
  kakao_channel_id text not null,
  kakao_payload jsonb not null,
  normalized jsonb not null,
  callback_url text,
  callback_expires_at timestamptz not null,
  -- until when an answer goes straight to Kakao: a little before its address dies
  answer_by timestamptz not null,
  -- until when an answer that came too late is kept for the user's next message
  readable_until timestamptz not null,
  state text not null default 'queued' check (state in ('queued', 'delivered', 'acked', 'expired', 'failed')),
  version integer not null default 1,
  source_event_id text,
  -- of a request that waits for its answer on the line: an identical one joins it
  join_key text,
  created_at timestamptz not null default pabal.now(),
  delivered_at timestamptz,
  -- until when it can be read, while nobody has: also after its address died, for then a late answer is still of use
  unread_until timestamptz,
  -- when it is handed out again, if nobody has answered by then
  visible_at timestamptz,
  handed_out smallint not null default 0,
  -- to which reader, and its number there: where that reader goes on from
  reader text,
  handed_number bigint,
  answered_at timestamptz,
  -- when its address was first used: it works once
  called_at timestamptz,
  acked_at timestamptz,
  end_reason text,
  end_detail text,
  constraint an_end_has_a_reason check (state in ('queued', 'delivered') or end_reason is not null),
  constraint what_was_acked_says_when check (state <> 'acked' or acked_at is not null)
) with (fillfactor = 70);
create unique index message_source on relay.message (kakao_channel_id, source_event_id) where source_event_id is not null;
create unique index message_joined on relay.message (conversation_id, join_key) where join_key is not null and state in ('queued', 'delivered');
create index message_account_state on relay.message (account_id, state);
create index message_expires on relay.message (callback_expires_at);
create index message_unit on relay.message (unit_id, id);
create index message_conversation on relay.message (conversation_id, id);
-- what waits to be handed out, and what was and is not answered yet: small, whatever there was before
create index message_unread on relay.message (account_id, id) where unread_until is not null;
create index message_unanswered on relay.message (visible_at) where state = 'delivered' and answered_at is null;
create index message_unanswered_of on relay.message (account_id, visible_at) where state = 'delivered' and answered_at is null;
create index message_open on relay.message (answer_by) where state in ('queued', 'delivered');
create sequence relay.handed_number;

-- What an instance answered. Several may answer one message while it is gathered; a late one goes out with the next.
create table relay.reply (
  id bigint primary key default pabal.new_id(),
  message_id bigint not null references relay.message (id) on delete cascade,
  conversation_id bigint not null references relay.conversation (id) on delete cascade,
  state text not null check (state in ('pending', 'sent', 'deferred', 'carried', 'expired', 'failed', 'unknown')),
  digest text not null,
  -- it came too late for its own message, and was answered so
  is_late boolean not null,
  response jsonb not null,
  received_at timestamptz not null default pabal.now(),
  keep_until timestamptz not null,
  ended_at timestamptz,
  carried_by bigint references relay.message (id) on delete set null,
  detail text,
  unique (message_id, digest)
);
create index reply_deferred on relay.reply (conversation_id, id) where state = 'deferred';
create index reply_ends on relay.reply (keep_until) where state = 'deferred';
create index reply_carried on relay.reply (carried_by) where carried_by is not null;

create table relay.pairing_code (
  code text primary key,
  account_id uuid not null references relay.account (id) on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default pabal.now(),
  revoked_at timestamptz
);
create index pairing_code_expires on relay.pairing_code (expires_at);
create index pairing_code_account on relay.pairing_code (account_id, created_at);

-- Sessions made by strangers, counted by address.
create table relay.session_try (address text not null, at timestamptz not null default pabal.now());
create index session_try_address on relay.session_try (address, at);
create index session_try_at on relay.session_try (at);

do $$
declare t text;
begin
  foreach t in array array['message', 'account_use', 'conversation', 'reply'] loop
    execute format('alter table relay.%I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
      autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0)', t);
  end loop;
end $$;
