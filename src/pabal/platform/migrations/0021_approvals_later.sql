-- Who wants to see a request later, and when. It says nothing about the request itself: others see and decide it meanwhile.
create table pabal.approval_later (
  approval_id bigint not null references pabal.approval (id) on delete cascade,
  actor text not null,
  until timestamptz not null,
  primary key (approval_id, actor)
);
