-- A question: a workflow asks an account, and waits for what it answers. Nobody outside is at its other end, as with a replay.
-- `asked_by` is what asked, `asked_key` names its one attempt: the same is never asked twice.
alter table relay.message add column asked_by text;
alter table relay.message add column asked_key text;
alter table relay.message add constraint a_question_has_no_address
  check ((asked_by is null) = (asked_key is null) and (asked_key is null or (callback_url is null and replay_of is null)));
create unique index message_asked on relay.message (asked_key) where asked_key is not null;
