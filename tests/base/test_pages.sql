-- name: read_session()
select pg_backend_pid() as process, current_setting('plan_cache_mode') as plan_cache_mode, current_setting('jit') as jit,
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('application_name') as application_name,
  current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock;

-- name: list_left_behind()
select name from pg_prepared_statements
union all
select name from pg_settings where source = 'session'
  and name not in ('client_encoding', 'application_name', 'DateStyle', 'TimeZone', 'standard_conforming_strings');

-- name: echo(value)
select :value::jsonb as value, pg_backend_pid() as process;

-- name: divide()
select 1 / 0;
