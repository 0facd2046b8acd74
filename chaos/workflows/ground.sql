-- name: make_tables()!
create schema chaos;
create table chaos.step_effect (key text not null, what text not null, n text not null);
