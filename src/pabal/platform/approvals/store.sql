-- name: insert_approvals(kind, machine, subjects, units, requesters, alikes, seens, deadlines, needed, now)
insert into pabal.approval (unit_id, kind, machine, subject, alike, seen, needed, requested_by, deadline_at, opened_at)
select n.unit_id, :kind, :machine, n.subject, n.alike, n.seen, n.needed, n.requested_by, n.deadline_at, :now::timestamptz
from unnest(:subjects::bigint[], :units::bigint[], :requesters::text[], :alikes::text[], :seens::text[], :deadlines::timestamptz[],
  :needed::smallint[]) as n(subject, unit_id, requested_by, alike, seen, deadline_at, needed)
on conflict (kind, subject) where state = 'open' do nothing returning id;

-- name: list_asked_otherwise(kind, subjects, seens)
-- open requests about the same subjects that showed something else
select a.id from unnest(:subjects::bigint[], :seens::text[]) as n(subject, seen)
join pabal.approval a on a.kind = :kind and a.subject = n.subject and a.state = 'open' and a.seen <> n.seen;

-- name: list_settled(kind, subjects)
-- open requests of these subjects, with the last move of each
select a.id, t.event, t.actor, t.reason from pabal.approval a cross join lateral (
  select t.event, t.actor, t.reason from pabal.transition t where t.machine = a.machine and t.subject = a.subject
  order by t.version desc limit 1) t
where a.kind = :kind and a.subject = any(:subjects::bigint[]) and a.state = 'open';

-- name: list_open_of(kind, subjects)
select id from pabal.approval where kind = :kind and subject = any(:subjects::bigint[]) and state = 'open';

-- name: hold_approval(id)
select id from pabal.approval where id = :id for update;

-- name: rehome(kind, alike, unit_id)!
update pabal.approval set unit_id = :unit_id where kind = :kind and alike = :alike and state = 'open';

-- name: find_open(units, kinds, before, me, is_later, now, most)
select a.id from pabal.approval a
where a.state = 'open' and a.id < :before and a.kind = any(:kinds::text[]) and (:units::bigint[] is null or a.unit_id = any(:units::bigint[]))
  and (:me::text = '' or :is_later::boolean = exists (
    select from pabal.approval_later l where l.approval_id = a.id and l.actor = :me and l.until > :now::timestamptz))
order by a.id desc limit :most;

-- name: count_later(units, kinds, me, now)
select count(*)::int from pabal.approval_later l join pabal.approval a on a.id = l.approval_id
where l.actor = :me and l.until > :now::timestamptz and a.state = 'open' and a.kind = any(:kinds::text[])
  and (:units::bigint[] is null or a.unit_id = any(:units::bigint[]));

-- name: put_off(approval_id, actor, until)!
insert into pabal.approval_later (approval_id, actor, until) values (:approval_id, :actor, :until)
on conflict (approval_id, actor) do update set until = excluded.until;

-- name: take_up(approval_id, actor)!
delete from pabal.approval_later where approval_id = :approval_id and actor = :actor;

-- name: is_last_move(machine, subject, event, actor, at)
select t.event = :event and t.actor = :actor and t.at = :at::timestamptz
from pabal.transition t where t.machine = :machine and t.subject = :subject order by t.version desc limit 1;

-- name: find_over(kinds, states, before, most)
-- unit: for those who see the whole house
-- one state after the other, each in the order of its index: quick whether it is rare or common
select a.id from unnest(:states::text[]) as s(state) cross join lateral (
  select a.id from pabal.approval a
  where a.state = s.state and a.id < :before and a.kind = any(:kinds::text[])
  order by a.id desc limit :most) a
order by a.id desc limit :most;

-- name: find_over_of_units(units, kinds, states, before, most)
-- why a range: see deliveries.sql
select a.id from unnest(:units::bigint[]) as u(id) cross join lateral (
  select a.id from pabal.approval a
  where (a.unit_id, a.id) < (u.id, :before::bigint) and a.unit_id >= u.id and a.state = any(:states::text[]) and a.kind = any(:kinds::text[])
  order by a.unit_id desc, a.id desc limit :most) a
order by a.id desc limit :most;

-- name: count_open(units, kinds, me, now, most)
-- not what the asker themselves asked for or has said yes to, where it takes two
select count(*)::int from (
  select from pabal.approval a
  where a.state = 'open' and a.kind = any(:kinds::text[]) and (:units::bigint[] is null or a.unit_id = any(:units::bigint[]))
    and (a.needed = 1 or a.requested_by <> :me::text
      and not exists (select from pabal.approval_voice v where v.approval_id = a.id and v.actor = :me::text))
    and not exists (
      select from pabal.approval_later l where l.approval_id = a.id and l.actor = :me::text and l.until > :now::timestamptz)
  limit :most) c;

-- name: count_similar(ids, most)
-- of the last ones like each of these: how many were approved, how many rejected
select a.id, count(*) filter (where b.state = 'approved')::int as approved, count(*) filter (where b.state = 'rejected')::int as rejected
from unnest(:ids::bigint[]) as i(id) join pabal.approval a on a.id = i.id cross join lateral (
  select b.state from pabal.approval b
  where b.kind = a.kind and b.alike = a.alike and b.id < a.id and b.state in ('approved', 'rejected') order by b.id desc limit :most) b
where a.alike <> '' group by a.id;

-- name: list_similar(kind, alike, before, units, most)
select id from pabal.approval
where kind = :kind and alike = :alike and id < :before and state in ('approved', 'rejected')
  and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
order by id desc limit :most;

-- name: insert_voice(approval_id, actor, reason, now)!
insert into pabal.approval_voice (approval_id, actor, reason, at) values (:approval_id, :actor, :reason, :now) on conflict do nothing;

-- name: list_short(kind, subjects)
-- open requests that take more than one person, with whoever has said yes
select a.id, a.subject, a.needed, a.requested_by,
  array(select v.actor from pabal.approval_voice v where v.approval_id = a.id) as voices
from pabal.approval a where a.kind = :kind and a.subject = any(:subjects::bigint[]) and a.state = 'open' and a.needed > 1;
