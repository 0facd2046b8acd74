# syntax=docker/dockerfile:1
# Two stages: the first has compilers, npm and the sources; the second only Python, the wheel and what it needs.

FROM python:3.12-slim-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends nodejs npm && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY requirements.lock ./
# The lock before the sources: a change of code does not fetch the dependencies again.
RUN python -m venv /opt/pabal && /opt/pabal/bin/pip install --no-cache-dir --require-hashes --requirement requirements.lock
COPY pyproject.toml hatch_build.py package.json package-lock.json .npmrc README.md LICENSE ./
COPY src ./src
RUN /opt/pabal/bin/pip install --no-cache-dir --no-deps .

FROM python:3.12-slim-bookworm
# pg_dump for backups comes with the wheel of PostgreSQL's binaries.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /var/lib/pabal --create-home pabal
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
ENTRYPOINT ["tini", "--", "pabal"]
CMD ["serve"]
