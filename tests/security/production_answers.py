"""Run with production settings, without a database: prints as JSON what kinds of answers carry. See test_production."""

import json
import os

os.environ["DJANGO_SETTINGS_MODULE"] = "epitome.site.settings"


def main() -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client

    call_command("collectstatic", interactive=False, verbosity=0)
    host = settings.ALLOWED_HOSTS[0]
    client = Client(enforce_csrf_checks=True, raise_request_exception=False, SERVER_NAME=host)
    secure = {"secure": True}
    manifest = json.loads((settings.STATIC_ROOT / "staticfiles.json").read_text(encoding="utf-8"))["paths"]
    answers = {
        "a page": client.get("/sign-in/", **secure),
        "nothing there": client.get("/nothing/", **secure),
        "way to the sign-in": client.get("/p/news/", **secure),
        "without a token": client.post("/sign-in/", {"username": "a"}, **secure),
        "wrong method": client.get("/sign-out/", **secure),
        "colours": _themed(client),
        "another host": client.get("/sign-in/", SERVER_NAME="evil.example", **secure),
        "static": client.get(f"/static/{manifest['css/base.css']}", **secure),
        "static script": client.get(f"/static/{manifest['js/page.js']}", **secure),
        "no such static": client.get("/static/css/nothing.css", **secure),
        "a call": client.get("/api/v1/projects/", **secure),
        "no such endpoint": client.get("/api/v1/nothing/", **secure),
        "a broken body": client.post("/api/v1/projects/", b"{", "application/json", **secure),
        "without TLS": client.get("/sign-in/"),
        "broken": _broken(client),
    }
    by_key = {
        name: {
            "status": answer.status_code,
            "headers": {key.lower(): value for key, value in answer.headers.items()},
            "cookies": {key: dict(cookie.items()) for key, cookie in answer.cookies.items()},
        }
        for name, answer in answers.items()
    }
    items = ("SESSION_COOKIE_NAME", "SESSION_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY", "SESSION_COOKIE_SAMESITE")
    items += ("SESSION_COOKIE_DOMAIN", "SESSION_COOKIE_PATH", "CSRF_COOKIE_NAME", "SILENCED_SYSTEM_CHECKS")
    print(json.dumps({"answers": by_key, "settings": {name: getattr(settings, name) for name in items}}))


def _themed(client):
    token = client.cookies["__Host-csrf"].value
    values = {"theme": "dark", "csrfmiddlewaretoken": token}
    return client.post(
        "/theme/", values, secure=True, headers={"Referer": f"https://{client.defaults['SERVER_NAME']}/"}
    )


def _broken(client):
    """Whatever breaks: here the database, which is not there."""
    client.cookies["__Host-session"] = "k" * 32
    return client.get("/", secure=True)


if __name__ == "__main__":
    main()
