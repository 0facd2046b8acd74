-- name: list_subjects()
select id from pabal.ad_group order by id;

-- name: list_transitions()
select machine, subject, version, event, source, target, unit_id, actor, reason, cause, at from pabal.transition
where machine = 'adgroup' order by subject, version;

-- name: list_timers()
select subject, event, due_at from pabal.timer where machine = 'adgroup';

-- name: list_events()
select id, result, code, duplicates from pabal.broker_event;
