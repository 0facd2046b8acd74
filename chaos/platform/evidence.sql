-- name: list_requests()
select r.id, r.name, r.state, a.id as approval_id, a.state as approval_state,
  (select count(*) from pabal.approval b where b.kind = 'desk.request' and b.subject = r.id)::int as approvals
from desk.request r left join pabal.approval a on a.kind = 'desk.request' and a.subject = r.id order by r.id;

-- name: count_moves()
-- of each subject, those that decide
select machine, subject, count(*)::int as moves from pabal.transition
where machine in ('desk_request', 'approval') and source is not null group by machine, subject;

-- name: list_events()
-- unit: all of the run's
select id, name from pabal.event;

-- name: count_effects()
select consumer, event, count(*)::int as times from desk.effect group by consumer, event;

-- name: list_dead()
-- unit: all of the run's
select consumer || ': ' || error as told from pabal.dead_letter;

-- name: list_deliveries()
select d.id, c.kind, d.approval_id, d.result, d.detail, n.about
from pabal.notification_delivery d join pabal.notification_channel c on c.id = d.channel_id
left join pabal.notification n on n.id = d.notification_id order by d.id;

-- name: list_files()
-- unit: all of the run's
select id, key, sha256, size from pabal.file;

-- name: count_left()
-- unit: all of the run's
-- what is still to be done; a sleeping retry of a cut service as well
select (select count(*) from pabal.approval where state = 'open')
  + (select count(*) from pabal.event e cross join (values ('desk-ledger'), ('desk-copies'), ('desk-door')) as c(name)
     where (c.name <> 'desk-door' or e.name = 'desk.asked')
       and not exists (select from pabal.event_done d where d.consumer = c.name and d.event_seq = e.seq))
  + (select count(*) from pabal.notification_delivery where ended_at is null)
  + (select count(*) from pabal.work w where w.kind like 'notify.%' and (
      exists (select from pabal.ready p where p.id = w.id) or exists (select from pabal.waiting p where p.id = w.id)
      or exists (select from pabal.delayed p where p.id = w.id) or exists (select from pabal.lease p where p.id = w.id))) as left;

-- name: hurry()!
-- faults are over: nobody waits for the next try of what a cut service refused
update pabal.delayed d set due_at = least(d.due_at, pabal.now()) from pabal.work w where w.id = d.id and w.kind like 'notify.%';
