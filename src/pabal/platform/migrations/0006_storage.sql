-- Files that people and programs gave us. The content is in the file store under `key`; a row is the only way to it.
create table pabal.file (
  -- taken before the first byte comes, so that what is in the store tells its age by the database's clock
  id bigint primary key,
  unit_id bigint not null references pabal.unit (id),
  key text not null unique,
  thumbnail_key text,
  name text not null check (length(name) between 1 and 200),
  media_type text not null,
  size bigint not null check (size >= 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  width integer check (width > 0),
  height integer check (height > 0),
  frames integer check (frames > 0),
  made_by text not null,
  created_at timestamptz not null,
  keep_until timestamptz,
  -- since when nothing refers to it; null while something does
  loose_at timestamptz,
  -- from here on nobody can see or keep it; its content goes next, then the row
  doomed_at timestamptz,
  constraint a_picture_has_both_sides check ((width is null) = (height is null)),
  constraint what_is_doomed_is_loose check (doomed_at is null or loose_at is not null)
);
create index file_unit on pabal.file (unit_id, id);
create index file_loose on pabal.file (loose_at) where loose_at is not null and doomed_at is null;
create index file_doomed on pabal.file (id) where doomed_at is not null;

-- What refers to a file. Without "on delete": the row of a file in use cannot go.
create table pabal.file_use (
  file_id bigint not null references pabal.file (id),
  about text not null,
  created_at timestamptz not null,
  primary key (file_id, about)
);
create index file_use_about on pabal.file_use (about);
