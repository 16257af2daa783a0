# One image for every part: the web process, CPU workers and GPU workers differ by their command alone.
#   docker build -t epitome .                          web and CPU workers
#   docker build -t epitome:models --build-arg MODELS=1 .   with torch, for GPU workers (and any other part)
#   docker build -t epitome:pke --build-arg PKE=1 .         with pke, GPL-3.0: an image that is passed on is under it too
FROM python:3.11-slim

ARG MODELS=0
ARG PKE=0
ARG PKE_FROM=https://github.com/boudinfl/pke/archive/69871ffdb720b83df23684fea53ec8776fd87e63.zip
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app

COPY requirements/ requirements/
RUN pip install --require-hashes -r requirements/web.txt -r requirements/oidc.txt \
    && if [ "$MODELS" = "1" ]; then pip install torch==2.13.0 && pip install -r requirements/models.txt; fi \
    && if [ "$PKE" = "1" ]; then \
      pip install --require-hashes -r requirements/pke.txt && pip install --no-deps "$PKE_FROM"; \
    fi

COPY . .
RUN pip install --no-deps . \
    && useradd --system --uid 10001 --home-dir /data epitome \
    && install -d -m 0700 -o epitome -g epitome /data

USER epitome
ENV EPITOME_DATA_DIR=/data EPITOME_BIND=0.0.0.0:8000
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "epitome.site.wsgi", "-c", "epitome/site/gunicorn_conf.py"]
