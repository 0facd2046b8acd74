-- name: read_version()
select current_setting('server_version');
