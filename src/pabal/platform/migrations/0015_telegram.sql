-- Telegram both ways: how far each bot's updates were taken, who is who there, and messages with buttons that are edited later.
create table pabal.telegram_bot (
  bot_id bigint primary key,
  -- the next update to ask for; moved in the commit of what an update did
  next_update bigint not null default 0,
  -- not asked before: Telegram said so, or somebody else polls
  rests_until timestamptz,
  problem text
);

create table pabal.telegram_link (
  user_id bigint primary key references pabal.user_account (id) on delete cascade,
  telegram_id bigint not null unique,
  linked_at timestamptz not null
);

-- Works once, for a quarter of an hour.
create table pabal.telegram_code (
  code_hash bytea primary key,
  user_id bigint not null references pabal.user_account (id) on delete cascade,
  expires_at timestamptz not null
);
create index telegram_code_user on pabal.telegram_code (user_id);

-- A person's own chat with the bot is a channel too.
alter table pabal.notification_channel add column user_id bigint references pabal.user_account (id) on delete cascade;
create index notification_channel_user on pabal.notification_channel (user_id) where user_id is not null;

-- A card: a message with buttons about an approval, under its number in the chat.
alter table pabal.notification_delivery add column approval_id bigint, add column buttons jsonb, add column message_id bigint;
create index notification_delivery_approval on pabal.notification_delivery (approval_id) where approval_id is not null;
