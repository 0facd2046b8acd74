-- Channels besides Telegram: a webhook (address: where it is posted to) and e-mail (address: who gets it, by commas).
alter table pabal.notification_channel
  drop constraint notification_channel_kind_check,
  add constraint notification_channel_kind_check check (kind in ('telegram', 'webhook', 'email')),
  add column address text,
  -- a webhook's secret is in sealed_token; while this one still counts, it is signed with both
  add column sealed_before text,
  add column before_until timestamptz,
  -- attempts that failed since one succeeded, and since when
  add column failures integer not null default 0,
  add column failing_since timestamptz,
  add constraint a_channel_leads_somewhere check (case kind when 'telegram' then chat_id <> '' and address is null else address <> '' end),
  add constraint a_webhook_is_signed check (kind <> 'webhook' or sealed_token <> ''),
  add constraint an_older_secret_ends check ((sealed_before is null) = (before_until is null));

alter table pabal.notification_delivery
  -- what an app sends through a channel itself: neither a notification nor a test
  add column is_call boolean not null default false,
  -- what was said then, again; receivers know it by that one's id
  add column replay_of bigint;
create index notification_delivery_replay on pabal.notification_delivery (replay_of) where replay_of is not null;

-- Every try of a delivery by webhook or e-mail, in order. Without a status there was no answer.
create table pabal.notification_attempt (
  delivery_id bigint not null references pabal.notification_delivery (id) on delete cascade,
  number integer not null,
  at timestamptz not null,
  status integer,
  reason text not null,
  ms integer not null,
  primary key (delivery_id, number)
);
