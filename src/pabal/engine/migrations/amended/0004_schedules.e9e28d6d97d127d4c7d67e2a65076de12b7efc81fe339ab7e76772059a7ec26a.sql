-- The earlier text gave both indexes of open occurrences the same condition, and a plan could take the wrong one.
drop index pabal.occurrence_open_of;
create index occurrence_open_of on pabal.occurrence (schedule_id) where "end" is null and work_id > 0;
