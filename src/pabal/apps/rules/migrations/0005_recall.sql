-- Requests with an answer that was good, as examples for a language model. Their pairs of syllables are numbers in an array: no extension is
-- needed, and Korean works as English does.
create table rules.recall_case (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  request text not null check (char_length(request) between 1 and 2000),
  answer text not null check (char_length(answer) between 1 and 20000),
  grams integer[] not null,
  -- of both texts: the same case is remembered once
  digest text not null,
  standing text not null default 'normal' check (standing in ('normal', 'pinned', 'banned')),
  created_at timestamptz not null default pabal.now(),
  created_by text not null,
  unique (unit_id, digest)
);
create index recall_case_unit on rules.recall_case (unit_id, id);
-- read often, written seldom: a list of pending entries would be searched by every reader
create index recall_case_grams on rules.recall_case using gin (grams) with (fastupdate = off);

-- In how many cases a pair occurs, whoever's: how rare it is.
create table rules.recall_gram (
  gram integer primary key,
  cases integer not null check (cases >= 0)
) with (fillfactor = 70);
