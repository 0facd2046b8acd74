-- Which store a file's content is in: what a move between stores goes by. Never with a secret in it.
alter table pabal.file add column store text not null default 'folder';
create index file_store on pabal.file (store, id);
