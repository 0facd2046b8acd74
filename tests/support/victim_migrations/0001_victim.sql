create schema victim;
create table victim.subject (
  id bigint generated always as identity primary key, unit_id bigint, state text not null, version bigint not null);
-- no unique key: the test wants to see a double
create table victim.effect (what text not null, job bigint not null);
