"""The operator's list: what it may hold, what it allows, and which addresses are never connected to."""

import socket

import pytest

from annotation.services.core.errors import BadInput
from annotation.services.webhooks import posting, targets
from annotation.services.webhooks.targets import NotSent, find_target, is_reachable
from epitome.site import environment
from epitome.site.webhook_hosts import BadHosts, read_hosts

LISTED = ["hooks.example.org", "odd.example.org:8443", ".example.net", "private:ci.lab", "http://10.0.0.5:9000"]


@pytest.fixture
def listed(settings):
    settings.EPITOME_WEBHOOK_HOSTS = read_hosts(LISTED)


def test_the_list_reads_as_it_is_written():
    assert [str(host) for host in read_hosts(LISTED)] == LISTED
    assert str(read_hosts(["http://[::1]:9000"])[0]) == "http://[::1]:9000"
    assert str(read_hosts(["Hooks.Example.ORG:443"])[0]) == "hooks.example.org"


@pytest.mark.parametrize(
    "entry",
    [
        *("https://hooks.example.org", "hooks.example.org/path", "a@hooks.example.org", "*", "*.example.org", ""),
        *("hooks.example.org:0", "hooks.example.org:99999", "private:.example.org", "http://.example.org", "."),
        *("private:", "http://", "hooks example.org", "hooks.example.org?x", "http://private:ci.lab"),
    ],
)
def test_other_entries_are_refused_in_words(entry):
    with pytest.raises(BadHosts, match="host"):
        read_hosts([entry])


def test_a_bad_entry_stops_the_start_and_is_named(monkeypatch):
    monkeypatch.setenv("EPITOME_WEBHOOK_HOSTS", "hooks.example.org, https://other.example.org")
    with pytest.raises(environment.BadSetting, match=r"EPITOME_WEBHOOK_HOSTS: .https://other\.example\.org"):
        environment.webhook_hosts("EPITOME_WEBHOOK_HOSTS")


def test_nothing_is_listed_by_default(monkeypatch):
    monkeypatch.delenv("EPITOME_WEBHOOK_HOSTS", raising=False)
    assert environment.webhook_hosts("EPITOME_WEBHOOK_HOSTS") == []


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("https://hooks.example.org", False),
        ("https://HOOKS.example.org:443/a?b=c", False),
        ("https://odd.example.org:8443/", False),
        ("https://example.net/", False),
        ("https://a.b.example.net/", False),
        ("https://ci.lab/", True),
        ("http://10.0.0.5:9000/a", True),
    ],
)
def test_listed_addresses_are_allowed(listed, url, private):
    target = find_target(url)
    assert target.private == private
    assert target.path.startswith("/")


@pytest.mark.parametrize(
    "url",
    [
        *("http://hooks.example.org/", "https://hooks.example.org:8443/", "https://odd.example.org/"),
        *("https://hooks.example.org.evil.com/", "https://badexample.net/", "https://evil.com/hooks.example.org"),
        *("https://hooks.example.org@evil.com/", "https://user:pw@hooks.example.org/", "https://evil.com#@ci.lab/"),
        *("https://hooks.example.org\\@evil.com/", "https://hooks.example.org\n.evil.com/", "https:// ci.lab/"),
        *("https://10.0.0.5:9000/a", "http://10.0.0.5/", "http://10.0.0.5:9001/", "http://0x0a000005:9000/"),
        *(
            "ftp://hooks.example.org/",
            "//hooks.example.org/",
            "hooks.example.org",
            "",
            "https://",
            "file:///etc/passwd",
        ),
        *("https://hooks.example.org:x/", "https://[::1/", "https://hooks.exämple.org/", "https://ci.lab./"),
        *("https://hooks.example.org/" + "a" * 500, "https://hooks.example.org/#a", "https://169.254.169.254/"),
    ],
)
def test_every_other_address_is_refused(listed, url):
    with pytest.raises(BadInput) as refused:
        find_target(url)
    assert refused.value.field == "url"


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.2.1"),
        *("198.18.0.1", "240.0.0.1", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "::ffff:10.0.0.1", "::ffff:8.8.8.8"),
        *("64:ff9b::a00:1", "2002:a00:1::1", "2001:0:a00:1::1", "2001:db8::1"),
    ],
)
def test_private_addresses_need_a_private_entry(address):
    assert not is_reachable(address, private=False)
    assert is_reachable(address, private=True)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "not an address"])
def test_some_addresses_are_never_reached(address):
    assert not is_reachable(address, private=False)
    assert not is_reachable(address, private=True)


def test_public_addresses_are_reached():
    assert is_reachable("93.184.215.14", private=False)
    assert is_reachable("2606:2800:21f:cb07:6820:80da:af6b:8b2c", private=False)


def answers_of(*addresses):
    """A resolver that answers these addresses, one list per look-up, and counts the look-ups."""
    looked_up = []

    def look_up(host, port, *_args, **_options):
        looked_up.append(host)
        names = addresses[min(len(looked_up), len(addresses)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (name, port)) for name in names]

    return looked_up, look_up


def test_one_private_address_among_several_refuses_the_host(listed, monkeypatch):
    _looked_up, look_up = answers_of(["93.184.215.14", "10.0.0.1"])
    monkeypatch.setattr(targets.socket, "getaddrinfo", look_up)
    with pytest.raises(NotSent, match="private address"):
        targets.find_addresses(find_target("https://hooks.example.org/"), 1)


def test_a_name_that_answers_differently_later_leads_nowhere_else(listed, monkeypatch):
    """The name is looked up once, and the connection is opened to the address that was checked."""
    looked_up, look_up = answers_of(["93.184.215.14"], ["127.0.0.1"])
    opened = []

    def connect(address, timeout):
        opened.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(targets.socket, "getaddrinfo", look_up)
    monkeypatch.setattr(posting.socket, "create_connection", connect)
    with pytest.raises(NotSent, match="not reached: Connection refused"):
        posting.post_body(find_target("https://hooks.example.org/"), b"{}", {})
    assert opened == [("93.184.215.14", 443)]
    assert looked_up == ["hooks.example.org"]


def test_a_name_that_nobody_has_is_told_of(listed, monkeypatch):
    def fail(*_args, **_options):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(targets.socket, "getaddrinfo", fail)
    with pytest.raises(NotSent, match="was not found"):
        posting.post_body(find_target("https://hooks.example.org/"), b"{}", {})
