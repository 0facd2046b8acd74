-- What operators changed at run time. A setting nobody ever touched has no row; one set back to its default has none
-- of its own value (null), but keeps who did that and its version.
create table pabal.setting (
  key text primary key,
  value text,
  version integer not null default 0,
  changed_at timestamptz,
  changed_by text,
  changed_by_label text
);
