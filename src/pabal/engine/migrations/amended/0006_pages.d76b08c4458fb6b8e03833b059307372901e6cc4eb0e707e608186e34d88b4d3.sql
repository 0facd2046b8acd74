-- The earlier text indexed unit_id as it is, and a plan took schedule_unit and sorted all of a unit's schedules.
drop index pabal.schedule_unit_next;
create index schedule_unit_next on pabal.schedule ((unit_id + 0), next_at, id) include (unit_id)
  where unit_id is not null and paused_at is null and next_at is not null;
