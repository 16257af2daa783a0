# One image for every part: the web process, CPU workers and GPU workers differ by their command alone.
#   docker build -t epitome .                          web and CPU workers
#   docker build -t epitome:models --build-arg MODELS=1 .   with torch, for GPU workers (and any other part)
FROM python:3.11-slim

ARG MODELS=0
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app

COPY requirements/ requirements/
RUN pip install --require-hashes -r requirements/web.txt \
    && if [ "$MODELS" = "1" ]; then pip install torch==2.13.0 && pip install -r requirements/models.txt; fi

COPY . .
RUN pip install --no-deps . \
    && useradd --system --uid 10001 --home-dir /data epitome \
    && install -d -m 0700 -o epitome -g epitome /data

USER epitome
ENV EPITOME_DATA_DIR=/data EPITOME_BIND=0.0.0.0:8000
VOLUME /data
EXPOSE 8000
CMD ["gunicorn", "epitome.wsgi", "-c", "epitome/gunicorn_conf.py"]
