from tests.support.web import Web
from pabal.platform.actor import Role
import json

async def test_all(web: Web):
    c = await web.as_()
    for p in ["jobs","schedules","occurrences","machines","machines/alert","machines/alert/subjects","facts","upcoming","servers","alerts","alert-rules","notifications","notifications/unread","channels","audit","units","users","tokens","settings","backups","me","health"]:
        r = await c.get(f"/api/v1/{p}")
        print(p, r.status_code, r.text[:300])
    r = await c.get("/api/v1/jobs?x=1"); print(r.status_code, r.text, dict(r.headers))
    for p in ["/openapi.json","/docs","/docs/problems"]:
        r = await c.get(p); print(p, r.status_code, len(r.text), r.headers.get("content-type"), r.text[:200])
    s = await web.as_(by="session")
    r = await s.get("/api/v1/sessions"); print(r.status_code, r.text)
    assert 0
