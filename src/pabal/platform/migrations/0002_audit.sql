-- Every change by a person or a program. Never updated, never deleted by Pabal.
create table pabal.audit (
  id bigint primary key default pabal.new_id(),
  at timestamptz not null,
  actor text not null,
  actor_label text not null,
  origin text not null,
  unit_id bigint,
  action text not null,
  about text not null,
  before jsonb,
  after jsonb
);
create index audit_unit on pabal.audit (unit_id, id) where unit_id is not null;
create index audit_actor on pabal.audit (actor, id);
create index audit_action on pabal.audit (action, id);
create index audit_about on pabal.audit (about, id);
