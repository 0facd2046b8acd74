-- Measures are sampled into series; rules on them make alerts.

-- one per measure and thing measured; holds the newest value, so that pages need not look for it
create table pabal.series (
  id integer generated always as identity primary key,
  measure text not null,
  about text not null default '',
  unit_id bigint,
  last_at timestamptz not null,
  last_value float8 not null,
  unique (measure, about)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Narrow on purpose: 20 measures every 15 seconds for 8 days are 920,000 rows. The key covers the value, so that a chart
-- is read from the index alone.
create table pabal.sample (
  series integer not null,
  at timestamptz not null,
  value float8 not null,
  primary key (series, at) include (value)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

-- The last round of sampling, of the house ('') and of each host; since: no round was left out from then on.
create table pabal.sampling (
  place text primary key, at timestamptz not null, since timestamptz not null
) with (fillfactor = 50);

create table pabal.alert (
  id bigint primary key default pabal.new_id(),
  unit_id bigint references pabal.unit (id),
  rule text not null,
  about text not null,
  level text not null check (level in ('attention', 'failure')),
  state text not null default 'firing' check (state in ('firing', 'acknowledged', 'silenced', 'resolved')),
  version bigint not null default 1,
  value float8 not null,
  worst float8 not null,
  threshold float8 not null,
  since timestamptz not null,             -- from when on the condition held
  fired_at timestamptz not null,
  seen_at timestamptz not null,           -- the last sample that was looked at
  told_at timestamptz,                    -- null: somebody must still be told
  silenced_until timestamptz,
  resolved_at timestamptz,
  constraint a_silence_has_its_end check (state <> 'silenced' or silenced_until is not null)
);
create unique index alert_open on pabal.alert (rule, about) where state <> 'resolved';
create index alert_unit on pabal.alert (unit_id, id) where unit_id is not null;
create index alert_rule on pabal.alert (rule, id);

-- planned work: what this rule fires until then is silent from its beginning
create table pabal.rule_silence (
  rule text primary key, until timestamptz not null, note text not null, by_name text not null, by_label text not null, at timestamptz not null
);
