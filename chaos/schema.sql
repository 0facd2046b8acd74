-- name: make_tables#
-- Deliberately without a unique index: what happened twice must be seen, not refused.
create schema chaos;
create table chaos.recorded (job bigint not null, token bigint not null, route text, epoch bigint, current_epoch bigint);
create table chaos.given_up (job bigint not null, token bigint not null, reason text not null);
create table chaos.effect (job bigint not null, token bigint not null);
create table chaos.held (route text not null, worker bigint not null, epoch bigint not null, pid int not null);
create table chaos.heard (n bigint generated always as identity, seq bigint not null, subject text not null);
