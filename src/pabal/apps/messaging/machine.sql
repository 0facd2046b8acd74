-- name: load_schedules(ids)
select s.id, s.unit_id, s.state, s.version, t.next_at
from pabal.message_schedule s left join pabal.schedule t on t.id = s.timetable_id
where s.id = any(:ids::bigint[]) order by s.id;
