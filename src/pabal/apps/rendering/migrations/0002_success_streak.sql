-- How many a slot has completed since it last failed one: what people look at before they trust it with the next.
alter table rendering.slot add column success_streak integer not null default 0;
