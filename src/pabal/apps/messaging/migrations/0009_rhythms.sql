-- Several times a day, and every second, third … week. Beside the schedule, as its many rooms are: a server of the version before, which
-- reads all columns of a schedule, reads on, and sends by the engine's timetable as everybody does.
create table pabal.message_rhythm (
  schedule_id bigint primary key references pabal.message_schedule (id) on delete cascade,
  -- besides the schedule's own time
  more_times time[] not null default '{}',
  -- from the week of the first valid day on
  every_weeks smallint not null default 1 check (every_weeks between 1 and 52)
);
