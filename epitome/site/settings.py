"""All settings, from the environment only. See docs/operations.md for the list."""

from pathlib import Path
from typing import Any

from csp.constants import NONCE, NONE, SELF

from epitome.site import environment as env
from epitome.site.oidc_settings import read_oidc_settings

BASE_DIR = Path(__file__).resolve().parent.parent.parent
# Of a checkout, its root; an installed package holds templates and static files itself.
SITE_FILES = BASE_DIR if env.is_checkout(BASE_DIR) else BASE_DIR / "epitome"

PRODUCTION = env.read_choice("EPITOME_ENV", "development", ("development", "production")) == "production"
DATA_DIR = env.private_folder("EPITOME_DATA_DIR", env.default_data_folder(BASE_DIR))
DEBUG = False if PRODUCTION else env.read_flag("EPITOME_DEBUG", False)
SECRET_KEY = env.secret_key("EPITOME_SECRET_KEY", DATA_DIR, production=PRODUCTION)
ALLOWED_HOSTS = env.read_list("EPITOME_HOSTS") or ([] if PRODUCTION else ["localhost", "127.0.0.1", "[::1]"])
if PRODUCTION and (not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS):
    raise env.BadSetting("EPITOME_HOSTS is missing or '*'; name the hosts that serve this site, by commas")
CSRF_TRUSTED_ORIGINS = env.read_list("EPITOME_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "annotation",
    "modelbridge",
    "evaluation",
]

MIDDLEWARE = [
    "annotation.views.operations.probes.Probes",
    "epitome.site.request_log.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "annotation.views.core.middleware.PrivateAnswers",
    "django.middleware.locale.LocaleMiddleware",
    "annotation.views.accounts.setup_page.SetupGate",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "annotation.views.core.middleware.Authentication",
    "annotation.views.core.middleware.SessionsEnd",
    "annotation.views.accounts.language.AccountLanguage",
    "epitome.site.file_language.EnglishFiles",
    "annotation.views.accounts.second_factor.SecondFactorGate",
    "annotation.views.accounts.first_password.FirstPasswordGate",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "annotation.views.core.middleware.OwnErrorPages",
]

ROOT_URLCONF = "epitome.site.urls"
WSGI_APPLICATION = "epitome.site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [SITE_FILES / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "annotation.views.core.navigation.page_context",
            ],
        },
    },
]

# Rendered sources of tasks, in each process for itself; nothing else is cached.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 200}}}
DATABASES = {"default": env.database_settings("DATABASE_URL", DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SQLITE = DATABASES["default"]["ENGINE"].endswith("sqlite3")
if PRODUCTION and not env.read_text("DATABASE_URL"):
    raise env.BadSetting(
        "DATABASE_URL is missing; production needs postgresql://USER@HOST:PORT/NAME, or for a small team on one"
        " machine an SQLite file: sqlite:////FOLDER/FILE"
    )

# Accounts
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"
CSRF_FAILURE_VIEW = "annotation.views.core.errors.csrf_failure"
PASSWORD_RESET_TIMEOUT = 3600
SESSION_ENGINE = "annotation.sessions"
AUTHENTICATION_BACKENDS = ["annotation.sessions.Backend"]
SESSION_COOKIE_AGE = 7 * 24 * 3600
EPITOME_SESSION_IDLE = 12 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
EPITOME_OIDC = read_oidc_settings(production=PRODUCTION)
EPITOME_PASSWORD_SIGN_IN = env.read_flag("EPITOME_PASSWORD_SIGN_IN", True)
if not EPITOME_PASSWORD_SIGN_IN and EPITOME_OIDC is None:
    raise env.BadSetting("EPITOME_PASSWORD_SIGN_IN=0 leaves no way in; set EPITOME_OIDC_ISSUER too")
EPITOME_PASSWORD_RESETS = EPITOME_PASSWORD_SIGN_IN and env.read_flag("EPITOME_PASSWORD_RESETS", True)
EMAIL_BACKEND = env.mail_backend(production=PRODUCTION, resets=EPITOME_PASSWORD_RESETS)
EMAIL_HOST = env.read_text("EPITOME_EMAIL_HOST") or "localhost"
EMAIL_PORT = env.read_number("EPITOME_EMAIL_PORT", 25, low=1, high=65535)
EMAIL_SECURITY = env.read_choice("EPITOME_EMAIL_SECURITY", "none", ("none", "starttls", "tls"))
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL_SECURITY == "starttls", EMAIL_SECURITY == "tls"
EMAIL_HOST_USER = env.read_text("EPITOME_EMAIL_USER")
EMAIL_HOST_PASSWORD = env.read_text("EPITOME_EMAIL_PASSWORD")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.read_text("EPITOME_EMAIL_FROM") or "epitome@localhost"

# Headers
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}
if PRODUCTION:
    SECURE_SSL_REDIRECT = env.read_flag("EPITOME_SSL_REDIRECT", True)
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SESSION_COOKIE_NAME = "__Host-session"
    CSRF_COOKIE_NAME = "__Host-csrf"
    if env.read_flag("EPITOME_BEHIND_PROXY", False):
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
EPITOME_BEHIND_PROXY = env.read_flag("EPITOME_BEHIND_PROXY", False)
EPITOME_PROXY_IPS = env.read_networks("EPITOME_PROXY_IPS")

# Language and time
LANGUAGE_CODE = "en"  # of commands, jobs, stored texts and files, whatever languages people read
LANGUAGES = env.interface_languages("EPITOME_LANGUAGES")
FORMAT_MODULE_PATH = "epitome.site.date_formats"
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LOCALE_PATHS = [SITE_FILES / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

# Files
STATIC_URL = "static/"
STATICFILES_DIRS = [SITE_FILES / "static"]
STATIC_ROOT = DATA_DIR / "static"
MEDIA_ROOT = DATA_DIR / "files"
if not PRODUCTION:
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # stays empty: files are served from static/ itself
WHITENOISE_USE_FINDERS = not PRODUCTION
WHITENOISE_AUTOREFRESH = DEBUG
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_HANDLERS = ["annotation.views.core.uploads.LimitedUploadHandler"]
FILE_UPLOAD_TEMP_DIR = None
EPITOME_MAX_UPLOAD = env.read_max_upload()

# The API
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation.api.core.authentication.TokenAuthentication",
        "annotation.api.core.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotation.api.core.parsing.StrictJSONParser"],
    "DEFAULT_PAGINATION_CLASS": "annotation.api.core.pagination.Pages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "annotation.api.core.negotiation.AlwaysAnswers",
    "DEFAULT_THROTTLE_CLASSES": ["annotation.api.core.throttling.Writes"],
    "EXCEPTION_HANDLER": "annotation.api.core.problems.handle",
    "URL_FORMAT_OVERRIDE": None,
    "PAGE_SIZE": 50,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Epitome",
    "DESCRIPTION": "Make controllable-summarization datasets and measure systems on them.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "annotation.api.core.openapi.describe_refusals",
    ],
    "ENUM_NAME_OVERRIDES": {
        "JobState": "annotation.models.JobState",
        "SampleState": "annotation.models.SampleState",
        "AnnotationState": "annotation.api.staff.annotations.STATES",
        "ImportFormat": "annotation.services.sources.import_types.FORMATS",
        "ExportFormat": "annotation.services.exports.exporting.ENDINGS",
        "ExportState": "annotation.services.exports.exporting.STATES",
        "Role": "annotation.models.Role",
        "RunState": "modelbridge.models.RunState",
        "OutputState": "modelbridge.models.OutputState",
        "PilotState": "annotation.models.pilots.PilotState",
        "PracticeState": "annotation.models.PracticeState",
        "BulkKind": "annotation.services.staff.bulk_actions.KINDS",
        "InspectionVerdict": "annotation.models.inspections.Verdict",
        "RankingSplit": "annotation.models.RankingSplit",
        "DeliveryState": "annotation.models.DeliveryState",
        "WebhookTopic": "annotation.services.webhooks.webhooks.TOPICS",
        "SystemRole": "epitome.systems.protocol.ROLES",
    },
}

# Jobs
CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT, CELERY_BROKER_TRANSPORT_OPTIONS = env.broker_settings("EPITOME_BROKER_URL")
# Without Redis each worker has a broker of its own, which nobody else can reach.
EPITOME_BROKER_SHARED = CELERY_BROKER_TRANSPORT != "memory"
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A worker of one process that was idle this long releases what it holds beyond the spare megabytes; 0: never.
EPITOME_WORKER_IDLE_SECONDS = env.read_number("EPITOME_WORKER_IDLE_SECONDS", 60, high=86_400)
EPITOME_WORKER_SPARE_MB = env.read_number("EPITOME_WORKER_SPARE_MB", 50, high=1_000_000)
EPITOME_JOB_POLL_SECONDS: float = env.read_number("EPITOME_JOB_POLL_SECONDS", 15, low=1, high=3600)
if not EPITOME_BROKER_SHARED:
    EPITOME_JOB_POLL_SECONDS = 0.25  # nothing else tells a worker of a job
EPITOME_JOB_LEASE_SECONDS = env.read_number("EPITOME_JOB_LEASE_SECONDS", 60, low=1, high=3600)
EPITOME_SWEEP_SECONDS = env.read_number("EPITOME_SWEEP_SECONDS", 60, low=1, high=3600)

# Runs of systems
EPITOME_RUN_WORKERS = env.read_number("EPITOME_RUN_WORKERS", 4, low=1, high=1000)
EPITOME_BATCH_SECONDS = env.read_number("EPITOME_BATCH_SECONDS", 1800, low=1, high=86_400)
EPITOME_RUN_SLICE_SECONDS = env.read_number("EPITOME_RUN_SLICE_SECONDS", 60, low=1, high=86_400)
if "visibility_timeout" in CELERY_BROKER_TRANSPORT_OPTIONS:
    # Longer than one message can take: loading the system, a slice of a run, and its last batch.
    longest = EPITOME_RUN_SLICE_SECONDS + EPITOME_BATCH_SECONDS + 1800
    CELERY_BROKER_TRANSPORT_OPTIONS = {**CELERY_BROKER_TRANSPORT_OPTIONS, "visibility_timeout": max(3600, 2 * longest)}
# What an hour of this worker's machine costs, for the pages of runs.
EPITOME_WORKER_HOUR_PRICE = env.read_price("EPITOME_WORKER_HOUR_PRICE")
EPITOME_LOADED_SYSTEMS = env.read_number("EPITOME_LOADED_SYSTEMS", 1, low=1, high=100)
EPITOME_MAX_OUTPUT = env.read_number("EPITOME_MAX_OUTPUT", 100_000, low=100)
# Calls that are paid for are sent by a process that a killed worker does not take along; tests send them themselves.
EPITOME_CALL_PROCESSES = True
EPITOME_FAKE_SYSTEMS = env.read_flag("EPITOME_FAKE_SYSTEMS", False)
if PRODUCTION and EPITOME_FAKE_SYSTEMS:
    raise env.BadSetting("EPITOME_FAKE_SYSTEMS=1 lets systems of the tests write files; production refuses it")
EPITOME_DEMO = env.read_flag("EPITOME_DEMO", False)
if PRODUCTION and EPITOME_DEMO:
    raise env.BadSetting("EPITOME_DEMO=1 lets admins remove the example projects; production refuses it")

# Text processing and tasks
EPITOME_SPACY_PIPELINE = env.read_text("EPITOME_SPACY_PIPELINE") or "en_epitome_sm"
EPITOME_TOPIC_EXTRACTOR = env.read_text("EPITOME_TOPIC_EXTRACTOR") or "topicrank"
# Asked by `extract_tuples --wikipedia` only, never by a page.
EPITOME_WIKIPEDIA = (env.read_text("EPITOME_WIKIPEDIA") or "https://en.wikipedia.org").rstrip("/")
EPITOME_LEASE_MINUTES = env.read_number("EPITOME_LEASE_MINUTES", 45, low=1, high=1440)
EPITOME_MAX_WORDS = env.read_number("EPITOME_MAX_WORDS", 5000, low=0)

# Systems
EPITOME_CHAT_SERVERS = env.chat_servers("EPITOME_CHAT_SERVERS")

# Limits: on in production, off elsewhere unless set
EPITOME_WRITES_PER_MINUTE = env.read_number("EPITOME_WRITES_PER_MINUTE", 600 if PRODUCTION else 0)
EPITOME_JOBS_AT_ONCE = env.read_number("EPITOME_JOBS_AT_ONCE", 2 if PRODUCTION else 0)
EPITOME_SIGN_IN_TRIES = env.read_number("EPITOME_SIGN_IN_TRIES", 10 if PRODUCTION else 0)

# People
EPITOME_ENROL_BY_NAME = env.read_flag("EPITOME_ENROL_BY_NAME", not PRODUCTION)
EPITOME_STAFF_SECOND_FACTOR = env.read_choice(
    "EPITOME_STAFF_SECOND_FACTOR", "optional", ("off", "optional", "required")
)
EPITOME_SETUP_PAGE = env.read_flag("EPITOME_SETUP_PAGE", True)
OTP_TOTP_ISSUER = "Epitome"
EPITOME_CROWD_RETURN_HOSTS = env.read_list("EPITOME_CROWD_RETURN_HOSTS")

# The account on Prolific that studies of crowd links are created with; without a token there are none.
EPITOME_PROLIFIC_URL = env.read_text("EPITOME_PROLIFIC_URL", "https://api.prolific.com")
if not EPITOME_PROLIFIC_URL.startswith(("https://", "http://")):
    raise env.BadSetting("EPITOME_PROLIFIC_URL does not begin with https://")
EPITOME_PROLIFIC_TOKEN = env.read_text("EPITOME_PROLIFIC_TOKEN")

# Where published datasets are uploaded to, and with whose token; without a token nothing is uploaded.
EPITOME_HUB_URL = env.read_text("EPITOME_HUB_URL", "https://huggingface.co")
if not EPITOME_HUB_URL.startswith(("https://", "http://")):
    raise env.BadSetting("EPITOME_HUB_URL does not begin with https://")
EPITOME_HUB_TOKEN = env.read_text("EPITOME_HUB_TOKEN")

# Webhooks: off unless the operator names the hosts that they may be sent to.
EPITOME_WEBHOOK_HOSTS = env.webhook_hosts("EPITOME_WEBHOOK_HOSTS")

# Metrics: off unless a token or the addresses that may read them are named
EPITOME_METRICS_TOKEN = env.read_text("EPITOME_METRICS_TOKEN")
if EPITOME_METRICS_TOKEN and len(EPITOME_METRICS_TOKEN) < 16:
    raise env.BadSetting("EPITOME_METRICS_TOKEN is shorter than 16 characters; make one with secrets.token_urlsafe()")
EPITOME_METRICS_IPS = env.read_networks("EPITOME_METRICS_IPS")

LOG_FORMAT = env.read_choice("EPITOME_LOG_FORMAT", "line", ("line", "json"))
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "epitome.site.log_format.JsonFormatter"},
    },
    "filters": {"shorten_known": {"()": "annotation.services.core.log_filters.ShortenKnown"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "loggers": {
        "django.request": {"filters": ["shorten_known"]},
        "django.security.DisallowedHost": {"filters": ["shorten_known"]},
        "authlib": {"level": "INFO"},  # at DEBUG it writes the secret of each sign-in
    },
    "root": {"handlers": ["console"], "level": env.read_text("EPITOME_LOG_LEVEL") or "WARNING"},
}
if LOG_FORMAT == "json":
    # gunicorn has set up its log before it loads the site, in lines of its own.
    LOGGING["loggers"]["gunicorn.error"] = {"handlers": ["console"], "propagate": False}
