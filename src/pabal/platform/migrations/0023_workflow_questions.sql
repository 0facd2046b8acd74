-- What steps of workflows ask people, in the inbox all apps share. Answering one sends its signal in the same commit.
create table pabal.workflow_question (
  id bigint generated always as identity primary key,
  unit_id bigint,
  state text not null,
  version bigint not null default 1,
  run_id bigint not null,
  step text not null,
  call_key text not null unique,
  title text not null,
  text text not null,
  asked_at timestamptz not null
);
create index workflow_question_run on pabal.workflow_question (run_id);
