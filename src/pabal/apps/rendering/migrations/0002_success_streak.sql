-- How many a slot has completed since it last failed one: what people look at before they trust it with the next.
alter table rendering.slot add column success_streak integer not null default 0;
-- A slot that is blamed for nothing now has not failed lately.
update rendering.slot s set success_streak = s.job_count_completed
where not exists (select from rendering.template_pause p where p.slot_id = s.id);
