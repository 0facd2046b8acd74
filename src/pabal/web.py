"""The whole web of one server: health, pages, endpoints, assets, and what stands in front of them all."""

import importlib

from fastapi import FastAPI

from pabal import api, console
from pabal.health import Running, health_routes
from pabal.platform.web import openapi
from pabal.platform.web.assets import make_assets
from pabal.platform.web.bodies import BodyLimits
from pabal.platform.web.faults import handle_errors
from pabal.platform.web.headers import SecureHeaders
from pabal.platform.web.limits import Limits
from pabal.platform.web.proxies import TrustedProxies
from pabal.platform.web.site import Site
from pabal.platform.web.turns import Turns
from pabal.platform.web.uploads import CloseUnread


def make_web(app: Running, site: Site) -> FastAPI:
    web = FastAPI(title="Pabal", docs_url=None, redoc_url=None, openapi_url=None)
    web.state.site = site
    web.state.turns, web.state.body_limits = Turns(), BodyLimits()
    handle_errors(web)
    web.add_middleware(Limits)
    web.add_middleware(SecureHeaders, is_https=site.is_https)
    web.add_middleware(CloseUnread)
    # outermost: all others see the client, not the proxy
    web.add_middleware(TrustedProxies, trusted=site.services.settings.trusted_proxies)
    modules = [importlib.import_module(name) for one in site.slices for name in (one.api, one.pages) if name]
    with_doors = [module for module in modules if hasattr(module, "DOORS")]
    # Routes are tried in turn, some seven hundred of them: what programs call all day comes first.
    for module in with_doors:
        web.include_router(module.router)
    web.state.doors = [door for module in with_doors for door in module.DOORS]
    web.include_router(health_routes(app, metrics_for=site.services.settings.exposure("metrics")))
    web.include_router(api.router)
    web.include_router(console.router)
    for module in modules:
        if module not in with_doors:
            web.include_router(module.router)
    web.include_router(openapi.router)
    web.include_router(make_assets({one.name: one.static for one in site.slices if one.static is not None}))
    return web
