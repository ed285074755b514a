"""The bundled nginx site in front of two servers, attacked and played through in a browser; the unit.

Each test needs its program. test_production_server.py tests the text of both files without them.
"""

import ipaddress
import json
import os
import random
import re
import shutil
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import requests
from playwright.sync_api import Browser, expect
from requests.adapters import HTTPAdapter

from hoppers.runtime.clients import client_of
from tests import ROOT
from tests.browser.fixtures import LONG_GAME, PUBLISHED, by_clicks, press, steps_of, verdict
from tests.browser.tabs import expect_faults, opened
from tests.support.processes import (
    TIMEOUT_SECONDS,
    Process,
    Queue,
    Server,
    Worker,
    free_port,
    wait_for,
)

pytestmark = pytest.mark.slow

WHERE = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin"
NGINX, OPENSSL = shutil.which("nginx", path=WHERE), shutil.which("openssl")
SYSTEMD = shutil.which("systemd-analyze")
SITE = (ROOT / "packaging" / "nginx.conf").read_text()
AROUND = """
pid {folder}/pid; error_log {folder}/errors; worker_processes 1; daemon off;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


def adapted(folder: Path, plain: int, secure: int, ports: list[int]) -> str:
    """Return the site with other ports and a self-signed certificate, otherwise unchanged."""
    site = re.sub(r".*listen \[::\]:80.*\n", "", SITE)
    for before, after in {
        "listen [::]:443": f"listen [::1]:{secure}",
        "listen 80": f"listen 127.0.0.1:{plain}",
        "listen 443": f"listen 127.0.0.1:{secure}",
        "server_name hoppers.example;": "server_name localhost;",
        "server 127.0.0.1:8000;": f"server 127.0.0.1:{ports[0]};",
        "# server 127.0.0.1:8001;": f"server 127.0.0.1:{ports[1]};",
        "/etc/ssl/hoppers": str(folder),
    }.items():
        assert before in site
        site = site.replace(before, after)
    return site


def certify(folder: Path) -> None:
    """Create a self-signed certificate in `folder`."""
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    kind = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    subprocess.run([str(OPENSSL), *kind, *files], check=True, capture_output=True)


class Site(NamedTuple):
    """Addresses of the site, and the servers behind it."""

    plain: str
    secure: str
    servers: list[Server]

    def answer(self, request: str, name: str = "localhost") -> str:
        """Return the answer over TLS to a request as it stands, up to the first pause; '' without one.

        `name`: of the server, as the handshake of TLS tells it.
        """
        trusting = ssl._create_unverified_context()
        own = ("127.0.0.1", int(self.secure.rpartition(":")[2]))
        received = b""
        with (
            suppress(ssl.SSLError, TimeoutError),
            socket.create_connection(own, TIMEOUT_SECONDS) as connection,
            trusting.wrap_socket(connection, server_hostname=name) as secure,
        ):
            secure.sendall(request.encode("latin-1"))
            while data := secure.recv(65_536):
                received += data
                secure.settimeout(0.5)
        return received.decode("latin-1")

    def get(self, path: str) -> int:
        """Return the status of a response, or 0 without one; no certificate is checked."""
        try:
            trusting = ssl._create_unverified_context()
            return int(
                urllib.request.urlopen(self.secure + path, context=trusting, timeout=TIMEOUT_SECONDS).status
            )
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    tmp_path = tmp_path_factory.mktemp("site")
    with ExitStack() as stack:
        queue = Queue()
        stack.callback(queue.kill)
        servers = [Server(command="serve", QUEUE_URL=queue.url, CONNECTIONS=20, PROXIES=1) for _ in range(2)]
        plain, secure = free_port(), free_port()
        certify(tmp_path)
        (tmp_path / "site.conf").write_text(
            adapted(tmp_path, plain, secure, [server.port for server in servers])
        )
        (tmp_path / "nginx.conf").write_text(AROUND.format(folder=tmp_path))
        nginx = Process(str(NGINX), "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", "stderr")
        stack.callback(nginx.end)
        for process in (Worker(QUEUE_URL=queue.url), *servers):
            stack.callback(process.kill)
        for server in servers:
            server.wait()
        found = Site(f"http://localhost:{plain}", f"https://localhost:{secure}", servers)
        wait_for(lambda: found.get("/healthz") == 200)
        yield found


class ForLocalhost(HTTPAdapter):
    """Connections that name the site in the handshake of TLS, whatever the address."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, server_hostname="localhost", assert_hostname=False, **options)


def is_listening(port: int) -> bool:
    """Return whether a process listens at a port of this machine."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def addresses(choice: random.Random) -> list[str]:
    """Return addresses as nginx writes them, with zeros wherever they may be left out."""
    ipv6 = [
        str(ipaddress.IPv6Address(b"".join(choice.choice([b"\0\0", choice.randbytes(2)]) for _ in range(8))))
        for _ in range(300)
    ]
    return ["192.0.2.1", "::ffff:192.0.2.1", "::1", "::", "2001:db8::", "fe80::1", *ipv6]


def expanded(network: str) -> str:
    """Return an IPv6 network with the groups of its prefix written out, without leading zeros."""
    prefix = ipaddress.IPv6Network(network)
    groups = prefix.network_address.exploded.split(":")[: prefix.prefixlen // 16]
    return ":".join(f"{int(group, 16):x}" for group in groups) + f"::/{prefix.prefixlen}"


HEAD = "Host: localhost\r\nConnection: close\r\n"
HANDSHAKE = (
    "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
WITHOUT_WEBSOCKETS = """globalThis.WebSocket = class {
  constructor() { setTimeout(() => this.onerror({})); }
  close() {}
};"""
"""Script after which no WebSocket can be opened, so that the page polls."""


if NGINX and OPENSSL:

    def test_attacks_through_nginx_are_refused(site: Site) -> None:
        page = "GET /puzzles/hoppers HTTP/1.1\r\n"
        assert site.answer(f"{page}{HEAD}\r\n").startswith("HTTP/1.1 200")
        assert site.answer(f"{page}Host: evil.example\r\n\r\n") == ""
        assert site.answer(f"{page}{HEAD}\r\n", "evil.example") == ""
        forwarded = site.answer(f"{page}{HEAD}X-Forwarded-Host: evil.example\r\n\r\n")
        assert forwarded.startswith("HTTP/1.1 200") and "evil.example" not in forwarded
        evil = "Host: localhost\r\nOrigin: https://evil.example\r\n\r\n"
        assert site.answer(HANDSHAKE + evil).startswith("HTTP/1.1 400")
        for request, status, code in [
            (f"GET /?\xff HTTP/1.1\r\n{HEAD}\r\n", 400, "invalid_request"),
            (f"POST /api/puzzles HTTP/1.1\r\n{HEAD}Content-Length: 20000\r\n\r\n", 413, "too_long"),
            (f"GET / HTTP/7.7\r\n{HEAD}\r\n", 400, "invalid_request"),
            ("\x16\x03\x01\x00\xff\x00\r\n\r\n", 400, "invalid_request"),
            ("<script>\r\n\r\n", 400, "invalid_request"),
            (f"GET /{'x' * 20_000} HTTP/1.1\r\n{HEAD}\r\n", 414, "too_long"),
            (f"{page}{HEAD}X-Long: {'x' * 20_000}\r\n\r\n", 414, "too_long"),
        ]:
            head, _, body = site.answer(request).partition("\r\n\r\n")
            assert f" {status} " in head.splitlines()[0] and json.loads(body)["error"]["code"] == code

    def test_half_a_request_is_ended_after_ten_seconds(site: Site) -> None:
        """Otherwise a thousand of them hold a thousand connections for a minute."""
        for half in ("GET /puz", f"{'GET / HTTP/1.1'}\r\n{HEAD}X-Half: "):
            began = time.monotonic()
            assert site.answer(half).partition(" ")[0] in ("", "HTTP/1.1")
            assert 8 < time.monotonic() - began < 20

    @pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning")
    @pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
    def test_clients_of_both_kinds_of_addresses_poll_through_nginx(site: Site, host: str) -> None:
        """The server reads each address in X-Forwarded-For, and counts the network of an IPv6 one."""
        opening = f"https://{host}:{site.secure.rpartition(':')[2]}/socket.io/?EIO=4&transport=polling"
        with requests.Session() as client:
            client.trust_env, client.verify, client.headers["Host"] = False, False, "localhost"
            client.mount("https://", ForLocalhost())
            opened = client.get(opening, timeout=TIMEOUT_SECONDS)
            assert opened.ok, opened.text
            address = f"{opening}&sid={json.loads(opened.text[1:])['sid']}"
            assert client.post(address, data="40", timeout=TIMEOUT_SECONDS).text == "OK"
            assert client.get(address, timeout=TIMEOUT_SECONDS).text.startswith("40{")
            assert client.post(address, data="1", timeout=TIMEOUT_SECONDS).text == "OK"

    @pytest.mark.browser
    def test_game_through_nginx_survives_the_loss_of_servers(site: Site, browser: Browser) -> None:
        assert [site.get(path) for path in ("/metrics", "/api/puzzles", "/puzzles/hoppers")] == [
            404,
            200,
            200,
        ]
        with opened(browser, site.secure, ignore_https_errors=True) as page:
            expect_faults(page, "WebSocket", "Failed to load resource")
            sockets = []
            page.on("websocket", lambda socket: sockets.append(socket.url))
            page.goto("/puzzles/hoppers?depth=study")
            page.get_by_label("Method").select_option("deepening")
            press(page, "Search")
            expect(page.locator('[data-limit="7"]')).to_have_attribute("data-state", "solved")
            for step in steps_of(PUBLISHED):
                by_clicks(page, *step)
            expect(verdict(page)).to_have_attribute("data-verdict", "solved")
            assert sockets and sockets[0].startswith("wss://")
            page.goto(LONG_GAME)
            page.get_by_label("Method").select_option("deepening")
            press(page, "Search")
            expect(page.locator('[data-limit="5"][data-state="exhausted"]')).to_be_visible()
            for _ in range(2):
                (server,) = (server for server in site.servers if server.measured("hoppers_connections"))
                server.kill()
                expect(page.locator(".banner")).to_contain_text("You can keep playing")
                server.start()
                server.wait()
                expect(page.locator(".banner")).to_be_hidden()
            press(page, "Stop")
            expect(page.locator("#solver .say")).to_contain_text("Stopped.")
            limits = page.locator("[data-limit]").evaluate_all(
                "(rows) => rows.map((row) => +row.dataset.limit)"
            )
            assert limits == list(range(1, len(limits) + 1))
        with opened(browser, site.secure, ignore_https_errors=True) as page:
            page.add_init_script(WITHOUT_WEBSOCKETS)
            with page.expect_response(re.compile("transport=polling")) as polled:
                page.goto(LONG_GAME)
                page.get_by_label("Method").select_option("deepening")
                press(page, "Search")
            assert polled.value.status == 200
            expect(page.locator('[data-limit="5"][data-state="exhausted"]')).to_be_visible()
            press(page, "Stop")
            expect(page.locator("#solver .say")).to_contain_text("Stopped.")
        for server in site.servers:
            server.kill()
        away = site.answer(f"GET /api/puzzles HTTP/1.1\r\n{HEAD}\r\n")
        assert away.startswith("HTTP/1.1 503") and '"unreachable"' in away


if NGINX:

    def test_nginx_counts_the_networks_that_the_server_counts(tmp_path: Path) -> None:
        """The attack: a line with thousands of networks, each of which nginx would count by itself."""
        port, address = free_port(), "$http_x_address"
        maps = "".join(
            re.findall(r"^map \$(?:remote_addr|hoppers_network) .*?^}\n", SITE, re.MULTILINE | re.DOTALL)
        )
        server = f'server {{ listen 127.0.0.1:{port}; return 200 "$hoppers_network $hoppers_site"; }}'
        (tmp_path / "site.conf").write_text(maps.replace("$remote_addr", address) + server)
        (tmp_path / "nginx.conf").write_text(AROUND.format(folder=tmp_path))
        nginx = Process(str(NGINX), "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", "stderr")
        try:
            wait_for(lambda: is_listening(port))
            for text in addresses(random.Random(7)):
                headers = {"X-Address": text}
                network, _, site = requests.get(f"http://127.0.0.1:{port}", headers=headers).text.partition(
                    " "
                )
                levels = client_of(text).names
                if ":" not in network:
                    assert ([network], site) == (levels, "")
                else:
                    assert [f"{network}::/64", f"{site}::/48"] == [expanded(name) for name in levels]
        finally:
            nginx.end()


if SYSTEMD:

    def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
        unit = (ROOT / "packaging" / "hoppers.service").read_text()
        copy = tmp_path / "hoppers.service"
        copy.write_text(unit.replace("/opt/hoppers/bin/hoppers", "/bin/true"))
        shutil.copy(ROOT / "packaging" / "hoppers.socket", tmp_path)
        done = subprocess.run([str(SYSTEMD), "verify", copy], capture_output=True, text=True)
        assert [line for line in done.stderr.splitlines() if "hoppers.service" in line] == []
