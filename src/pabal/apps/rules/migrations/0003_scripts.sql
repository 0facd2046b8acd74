-- What a script leaves behind. `dirty`: uncommitted files that ran, with their SHA-256. `artifacts`: files that it made, which lie in the file store.
alter table rules.run
  add column dirty jsonb not null default '{}',
  add column artifacts jsonb not null default '[]';
-- what its script answered when it last succeeded
alter table rules.rule add column memory jsonb;
