"""Who may ask, what may be sent, what is never served, and one shape for every error."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.service.running import FORMULA, HOST, SCRIPT, client_of

from veracity.errors import InvalidParameter
from veracity.service import schemas
from veracity.service.guard import COOKIE
from veracity.service.headers import DATA_POLICY, PAGE_POLICY
from veracity.service.server import Address, access, is_loopback
from veracity.service.settings import LOOPBACK, ServiceSettings
from veracity.service.store import RunStore

TOKEN = "a secret of this test"


def error_of(found: Any) -> dict[str, Any]:
    """Return the error of an answer, once it has the shape that all errors have."""
    schemas.ErrorAnswer.model_validate(found.json())
    error: dict[str, Any] = found.json()["error"]
    return error


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v1/nothing", 404, "not_found"),
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/api/v1/items/99999999", 404, "not_found"),
        ("GET", "/api/v1/sources/99999999", 404, "not_found"),
        ("GET", "/api/v1/items/-1", 422, "invalid_request"),
        ("GET", "/api/v1/items/one", 422, "invalid_request"),
        ("GET", "/api/v1/items/99999999999999999999", 422, "invalid_request"),
        ("GET", "/api/v1/items?limit=0", 422, "invalid_request"),
        ("GET", "/api/v1/items?limit=1001", 422, "invalid_request"),
        ("GET", "/api/v1/items?sort=colour", 422, "invalid_request"),
        ("GET", "/api/v1/items?max_plausibility=nan", 422, "invalid_request"),
        ("GET", "/api/v1/marks?format=xml", 422, "invalid_request"),
        ("DELETE", "/api/v1/items/0", 405, "method_not_allowed"),
        ("POST", "/api/v1/run", 405, "method_not_allowed"),
        ("PUT", "/api/v1/marks/0", 422, "invalid_request"),
    ],
)
def test_errors_have_one_shape(
    service: TestClient, method: str, path: str, status: int, code: str
) -> None:
    found = service.request(method, path)
    assert found.status_code == status
    assert error_of(found)["code"] == code


def test_people_get_a_page_and_programs_data(service: TestClient) -> None:
    page = service.get("/nothing", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    data = service.get("/api/v1/nothing", headers={"Accept": "text/html"})
    assert error_of(data)["code"] == "not_found"


def test_a_fault_tells_nothing_of_its_insides(
    example_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: RunStore, item: int) -> None:
        raise RuntimeError("the secret inside")

    monkeypatch.setattr(RunStore, "item", fail)
    with client_of(example_run) as client:
        found = client.get("/api/v1/items/0")
        assert found.status_code == 500
        assert error_of(found)["code"] == "fault"
        assert "secret" not in found.text
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["content-security-policy"] == DATA_POLICY
        assert 'status="500"' in client.get("/metrics").text
        page = client.get("/items/0", headers={"Accept": "text/html"})
        assert page.status_code == 500
        assert "secret" not in page.text
        # It has the looks of all pages, and as little freedom.
        assert "/static/veracity.css" in page.text
        assert page.headers["content-security-policy"] == PAGE_POLICY


def test_every_answer_carries_the_headers(service: TestClient) -> None:
    for path in ("/", "/api/v1/run", "/nothing", "/static/veracity.css", "/metrics", "/items/0"):
        headers = service.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        policy = headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        scripts = policy.partition("script-src")[2].partition(";")[0]
        assert "unsafe-inline" not in scripts
        assert "unsafe-eval" not in policy


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost:80"])
def test_another_name_is_refused(service: TestClient, host: str) -> None:
    found = service.get("/api/v1/run", headers={"Host": host})
    assert found.status_code == 421
    assert error_of(found)["code"] == "wrong_host"


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:1", "LOCALHOST", "[::1]:8765"])
def test_names_of_this_machine_are_ours(example_run: Path, host: str) -> None:
    with client_of(example_run, hosts=LOOPBACK) as client:
        assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"https://{HOST}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_of_another_site_changes_nothing(
    own_service: TestClient, headers: dict[str, str]
) -> None:
    found = own_service.put("/api/v1/marks/0", json={"value": "x"}, headers=headers)
    assert found.status_code == 403
    assert error_of(found)["code"] == "wrong_origin"
    assert own_service.get("/api/v1/marks").json()["total"] == 0
    own = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
    assert own_service.put("/api/v1/marks/0", json={"value": "x"}, headers=own).status_code == 200


def test_without_the_token_nothing_is_told(example_run: Path) -> None:
    with client_of(example_run, token=TOKEN) as client:
        for path in ("/api/v1/run", "/items", "/readyz", "/metrics", "/api", "/report/file"):
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
                found = client.get(path, headers=headers)
                assert found.status_code == 401, path
                assert found.headers["www-authenticate"] == "Bearer"
                assert error_of(found)["code"] == "unauthorised"
        assert client.get("/healthz").status_code == 200
        told = client.get("/api/v1/run", headers={"Authorization": f"Bearer {TOKEN}"})
        assert told.status_code == 200


def test_the_token_opens_the_pages_to_a_browser(example_run: Path) -> None:
    with client_of(example_run, token=TOKEN) as client:
        wrong = client.get("/", params={"token": "wrong"}, follow_redirects=False)
        assert wrong.status_code == 401
        found = client.get("/items", params={"token": TOKEN, "q": "bar"}, follow_redirects=False)
        assert found.status_code == 303
        assert found.headers["location"] == "/items?q=bar"
        cookie = found.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        assert TOKEN not in cookie
        assert client.get("/api/v1/run").status_code == 200  # the cookie is kept
        client.cookies.clear()
        client.cookies.set(COOKIE, TOKEN)  # it is not the token itself
        assert client.get("/api/v1/run").status_code == 401


def test_the_login_form(example_run: Path) -> None:
    with client_of(example_run, token=TOKEN) as client:
        wrong = client.post("/login", data={"token": "wrong"}, follow_redirects=False)
        assert wrong.status_code == 401
        found = client.post("/login", data={"token": TOKEN}, follow_redirects=False)
        assert (found.status_code, found.headers["location"]) == (303, "/")
        assert client.get("/api/v1/run").status_code == 200


def test_a_login_leads_nowhere_else(example_run: Path) -> None:
    with client_of(example_run, token=TOKEN) as client:
        found = client.get("//evil.example/", params={"token": TOKEN}, follow_redirects=False)
        location = found.headers.get("location", "/")
        assert location.startswith("/")
        assert not location.startswith("//")


def test_a_request_may_not_be_too_large(example_run: Path) -> None:
    with client_of(example_run, max_body=1000) as client:
        found = client.post("/api/v1/score", content=b"x" * 1001)
        assert found.status_code == 413
        assert error_of(found)["code"] == "too_large"

        def parts() -> Any:
            for _ in range(20):
                yield b"x" * 100

        streamed = client.post("/api/v1/score", content=parts())
        assert streamed.status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/report/charts/../run.json",
        "/report/charts/..%2frun.json",
        "/report/charts/%2e%2e%2frun.json",
        "/report/run.json",
        "/run.json",
        "/claims.parquet",
        "/report/charts/nothing.json",
    ],
)
def test_no_other_file_is_served(service: TestClient, path: str) -> None:
    found = service.get(path)
    assert found.status_code in (404, 422)
    assert "import" not in found.text
    assert "root:" not in found.text


def test_a_link_out_of_the_folder_is_not_followed(
    runs: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    secret = tmp_path / "secret.json"
    secret.write_text('"secret"')
    (folder / "charts").mkdir()
    (folder / "charts" / "out.json").symlink_to(secret)
    (folder / "charts" / "own.json").write_text('"own"')
    (folder / "report.html").symlink_to(secret)
    with client_of(folder) as client:
        assert client.get("/report/charts/own.json").json() == "own"
        assert client.get("/report/charts/out.json").status_code == 404
        assert client.get("/report/file").status_code == 404


def test_labels_are_never_markup(naughty: TestClient) -> None:
    pages = ["/", "/items", "/items/0", "/items/1", "/sources", "/review", "/try"]
    pages += [f"/sources/{source}" for source in range(4)]
    pages += [f"/items?q={SCRIPT}", "/items/0?source=%3Cb%3Eme&value=%3Ci%3Ex"]
    for path in pages:
        found = naughty.get(path, headers={"Accept": "text/html"})
        assert found.status_code == 200, path
        for markup in (SCRIPT, "<b>colour", "<b>me", "<i>x"):
            assert markup not in found.text, path
    listed = naughty.get("/api/v1/items").json()["items"]
    assert {FORMULA} < {row["entity"] for row in listed}  # data comes as it is
    assert naughty.get("/api/v1/items").headers["content-type"] == "application/json"


def test_others_are_served_with_a_token_only() -> None:
    with pytest.raises(InvalidParameter, match=r"Give a --token"):
        access(ServiceSettings(), "0.0.0.0")
    with pytest.raises(InvalidParameter, match="8 characters"):
        access(ServiceSettings(token="short"), "0.0.0.0")
    assert access(ServiceSettings(token="long enough"), "0.0.0.0").hosts == ()
    assert access(ServiceSettings(), "127.0.0.1").hosts == LOOPBACK


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.3.2.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.1.2", False),
        ("example", False),
    ],
)
def test_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) == expected


def test_addresses() -> None:
    first = Address("127.0.0.1", 0)
    first.socket.listen()
    with first.socket:
        assert first.url == f"http://127.0.0.1:{first.port}/"
        with pytest.raises(InvalidParameter, match=r"--port 0 for any free one"):
            Address("127.0.0.1", first.port)
    with pytest.raises(InvalidParameter):
        Address("127.0.0.1", 70_000)
    with pytest.raises(InvalidParameter, match="cannot be used"):
        Address("no.such.host.invalid", 0)
