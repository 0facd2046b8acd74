-- From here on every commit that wrote an audit entry fails: a verb may be tried through every door, and changes nothing.
create function pabal.refuse_commit() returns trigger language plpgsql as
$$ begin raise exception 'only tried' using errcode = 'P0001'; end $$;
create constraint trigger refuse_commit after insert on pabal.audit
deferrable initially deferred for each row execute function pabal.refuse_commit();
