-- name: read_clocks()
select pabal.now() as now, pabal.moment() as moment, pabal.real_now() as real_now;

-- name: read_volatility()
select p.proname::text as name, p.provolatile::text as volatility from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = 'pabal' and p.proname in ('now', 'moment', 'real_now');
