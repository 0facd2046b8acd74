-- name: list_messages()
select m.id, m.uid::text as uid, a.name as account, m.normalized->>'userId' as user_key, m.normalized->>'text' as text, m.callback_url,
  m.state, m.version, m.end_reason, m.end_detail, m.handed_out,
  extract(epoch from m.created_at)::float8 as created_at, extract(epoch from m.callback_expires_at)::float8 as expires_at,
  extract(epoch from m.answered_at)::float8 as answered_at, extract(epoch from m.called_at)::float8 as called_at
from relay.message m join relay.account a on a.id = m.account_id order by m.id;

-- name: list_replies()
select r.message_id, r.state, r.detail, r.response #>> '{template,outputs,0,simpleText,text}' as text,
  extract(epoch from r.ended_at)::float8 as ended_at
from relay.reply r order by r.id;

-- name: list_transitions()
select machine, subject, version, event, source, target, unit_id, actor, reason, cause, at from pabal.transition
where machine = 'relay_message' order by subject, version;

-- name: count_jobs()
-- of the relay, wherever they are
select count(*) from pabal.work w where w.kind like 'relay.%' and (
  exists (select from pabal.ready p where p.id = w.id) or exists (select from pabal.waiting p where p.id = w.id)
  or exists (select from pabal.delayed p where p.id = w.id) or exists (select from pabal.lease p where p.id = w.id));

-- name: count_left()
select (select count(*) from relay.message where state in ('queued', 'delivered'))
     + (select count(*) from relay.reply where state = 'carried') + (select count(*) from pabal.lease) as left;
