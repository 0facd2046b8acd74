-- For work that others wait for. Null where nobody asked for it: then a job costs as much as before.

-- true: the job's end is recorded as a fact, in the commit that ends it
alter table pabal.work add column records_end boolean;
-- what the job gave, bounded by the engine
alter table pabal.outcome add column data jsonb;
