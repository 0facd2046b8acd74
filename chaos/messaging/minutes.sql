-- name: read_moment()
select pabal.now() as now, (select extract(epoch from shift)::float8 from pabal.clock_shift) as shift;

-- name: count_left()
-- occurrences without an end, and whatever else is still under way
select (select count(*) from pabal.message_schedule s where not exists (
          select from pabal.delivery d where d.schedule_id = s.id and d.state <> 'open'))
     + (select count(*) from pabal.delivery where state = 'open')
     + (select count(*) from pabal.occurrence where "end" is null and work_id > 0)
     + (select count(*) from pabal.lease) as left;
