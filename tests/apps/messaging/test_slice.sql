-- name: lock_timetable(id)
select t.id from pabal.message_schedule s join pabal.schedule t on t.id = s.timetable_id where s.id = :id for update of t;

-- name: lock_ready(schedule)
select r.id from pabal.ready r join pabal.work w on w.id = r.id where (w.args->>'message_schedule')::bigint = :schedule for update of r;

-- name: list_opened()
select s.id as schedule from pabal.occurrence o join pabal.message_schedule s on s.timetable_id = o.schedule_id order by o.work_id;
