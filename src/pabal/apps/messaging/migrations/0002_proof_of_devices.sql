-- What a device must prove: where it may call from, and that what it signed was never seen before.
alter table pabal.bot_device
  -- networks somebody approved it in, or where it proved itself; empty: the next one it calls from
  add column networks text[] not null default '{}',
  -- the address it called from last that is in none of them, until somebody decides
  add column asks_from text,
  -- the newest signed moment that was seen of it, in milliseconds
  add column signed_ms bigint;
create index bot_device_asks on pabal.bot_device (id) where asks_from is not null;

-- Whoever may read the audit could read ids of devices there.
update pabal.audit set after = after - 'device' where action in
  ('messaging.device_approve', 'messaging.device_deny', 'messaging.device_revoke', 'messaging.device_block', 'messaging.device_unblock');
