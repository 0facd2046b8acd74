# Two stages: the first has what builds and the sources; the second only Python, the wheel and what it needs.
# Images by digest, packages by hash: how to renew them is in docs/operations/container.md.

FROM python:3.12-slim-bookworm@sha256:782412e85d0f0984994c290652577d4018aff08145c85b262bb63dc0c7522254 AS build
WORKDIR /src
COPY requirements.lock requirements-build.lock requirements-uv.lock ./
# The locks before the sources: a change of code does not fetch the dependencies again. npm comes with the build's lock.
RUN python -m venv /opt/pabal && /opt/pabal/bin/pip install --no-cache-dir --require-hashes --requirement requirements.lock
# uv prepares the packages of rule scripts.
RUN /opt/pabal/bin/pip install --no-cache-dir --require-hashes --requirement requirements-uv.lock
RUN python -m venv /opt/build && /opt/build/bin/pip install --no-cache-dir --require-hashes --requirement requirements-build.lock
COPY pyproject.toml hatch_build.py package.json package-lock.json .npmrc README.md LICENSE ./
COPY src ./src
# Without isolation: an isolated build would fetch what it builds with by itself, and by no hash.
RUN /opt/build/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/pabal/bin/pip install --no-cache-dir --no-deps --no-index /wheels/*.whl

FROM python:3.12-slim-bookworm@sha256:782412e85d0f0984994c290652577d4018aff08145c85b262bb63dc0c7522254
# Rule scripts come from a Git repository and run in bubblewrap; no wheel has these two. From Debian's signed archive.
RUN apt-get update --quiet
RUN apt-get install --quiet --yes --no-install-recommends bubblewrap git
RUN rm -rf /var/lib/apt/lists/*
# pg_dump for backups comes with the wheel of PostgreSQL's binaries.
RUN useradd --system --uid 10001 --home-dir /var/lib/pabal --create-home pabal
COPY --from=build /opt/pabal /opt/pabal
ENV PATH=/opt/pabal/bin:$PATH \
    PABAL_DATA_DIR=/var/lib/pabal \
    PABAL_HOST=0.0.0.0 \
    PABAL_PORT=8420 \
    PABAL_BOTS_HOST=0.0.0.0 \
    PABAL_BOTS_PORT=1490 \
    PABAL_LOG_FORMAT=json \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /var/lib/pabal
VOLUME /var/lib/pabal
EXPOSE 8420 1490
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8420/readyz', timeout=4)"]
ENTRYPOINT ["pabal"]
CMD ["serve"]
