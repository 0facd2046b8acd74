-- name: lock_migrations()
-- 'pabal' as a number: servers that start together apply one after the other
select pg_advisory_xact_lock(482952634732);

-- name: create_ledger#
create schema if not exists pabal;
create table if not exists pabal.migration (
  owner text not null, number int not null, name text not null, checksum text not null,
  applied_at timestamptz not null default transaction_timestamp(), primary key (owner, number));

-- name: list_applied()
select owner, number, name, checksum from pabal.migration;

-- name: insert_applied(owner, number, name, checksum)!
insert into pabal.migration (owner, number, name, checksum) values (:owner, :number, :name, :checksum);

-- name: update_applied(owner, number, name, checksum)!
update pabal.migration set name = :name, checksum = :checksum where owner = :owner and number = :number;

-- name: has_ledger()
select to_regclass('pabal.migration') is not null;
