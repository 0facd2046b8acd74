-- name: set_due(due)!
-- of each bot one a second, in the order they were saved
update pabal.schedule s set next_at = :due::timestamptz + (g.place - 1) * interval '1 second'
from (select m.timetable_id, row_number() over (partition by m.bot_id order by m.id) as place from pabal.message_schedule m) g
where s.id = g.timetable_id;
