-- The event that starts a workflow's newest version. Gone while it is put away.
alter table pabal.workflow add column starts_on text;
create index workflow_starts_on on pabal.workflow (starts_on) where starts_on is not null and archived_at is null;

-- The inputs that decide where something goes: they are not taken from what was written outside. Null: saved before anybody asked.
alter table pabal.workflow_version add column destinations text[];
