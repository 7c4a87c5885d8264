"""What the document cannot say in a schema, mended in requests that are meant to be right.

Requests that are meant to be wrong are left as they are. Every answer is noted in the file that
CONTRACT_ANSWERS names: method, path of the document, status.
"""

import os
import threading
import uuid

import schemathesis

DEVICE = "contract-1"
SQUARE = [[13.0, 52.0], [13.01, 52.0], [13.01, 52.01], [13.0, 52.01], [13.0, 52.0]]
FENCE = {
    "id", "name", "type", "center", "radius_m", "geometry", "transitions", "dwell_s", "arrival",
    "exit_accuracy_cap_m", "initial_enter", "pass_as", "cooldown_hours", "timezone", "active_windows",
    "quiet_hours", "expires_at", "priority", "campaigns", "audience", "metadata", "enabled"}
# What `run.py` has made before, for what is found by the id that a device gave it.
EXISTING = {
    "GET /v1/admin/events/{id}": "contract-event", "GET /v1/admin/visits/{id}": "contract-visit",
    "GET /v1/admin/keys/{id}": 1}
LOCK = threading.Lock()
# A code gives one key, so each request needs one of its own.
CODES = iter(os.environ["CONTRACT_CODES"].split())
ANSWERS = open(os.environ["CONTRACT_ANSWERS"], "a", buffering=1)
# Of the last answer with fences, so that some requests ask for what they have.
TAGS = {}


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = f"{case.operation.method.upper()} {case.operation.path}"
    if operation == "DELETE /v1/admin/keys/{id}":
        keep_own_keys(case.path_parameters)
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if operation in EXISTING:
        case.path_parameters["id"] = EXISTING[operation]
    if case.headers is not None and "X-Device-Id" in case.headers:
        case.headers["X-Device-Id"] = DEVICE
        if operation.endswith("/heartbeat"):
            case.path_parameters["id"] = DEVICE
    if case.headers is not None and "Idempotency-Key" in case.headers:
        # Two requests under one key would be one.
        case.headers["Idempotency-Key"] = uuid.uuid4().hex
    if operation in TAGS and case.headers is not None:
        # The next one is answered in full again.
        case.headers["If-None-Match"] = TAGS.pop(operation)
    if isinstance(case.body, dict):
        mend(operation, case.body)


@schemathesis.hook
def after_call(context, case, response):
    tag = response.headers.get("etag")
    if response.status_code == 200 and tag:
        TAGS[f"{case.operation.method.upper()} {case.operation.path}"] = (
            tag[0] if isinstance(tag, list) else tag)
    with LOCK:
        ANSWERS.write(f"{case.operation.method.upper()} {case.operation.path} "
                      f"{response.status_code}\n")


def keep_own_keys(parameters):
    """The keys of this run are the first two."""
    if str(parameters.get("id")) in ("1", "2"):
        parameters["id"] = 1000


def mend(operation, body):
    if operation == "POST /v1/events/batch":
        body["device_id"] = DEVICE
    if operation == "POST /v1/provision":
        body.update(code=next(CODES), device_id=DEVICE)
    if operation == "POST /v1/admin/keys":
        if body.get("expires_at"):
            body["expires_at"] = "2199-01-01T00:00:00Z"
        # Only device keys belong to a device.
        if body.get("scope") == "admin":
            body.pop("device_id", None)
    if operation.endswith("/v1/admin/fences.geojson"):
        for number, feature in enumerate(body.get("features", [])):
            feature["id"] = f"f-{number}"
            # Two fences of a request may not carry two campaigns of one id.
            feature["properties"].pop("campaigns", None)
            mend_geometry(feature["geometry"])
            if feature["geometry"]["type"] == "Point":
                feature["properties"]["radius_m"] = 150
    if "/v1/admin/fences" in operation and "geometry" in body:
        mend_geometry(body["geometry"])
    if operation in ("POST /v1/admin/fences", "PUT /v1/admin/fences/{id}"):
        # Names that the document does not have are refused.
        for name in [name for name in body if name not in FENCE]:
            del body[name]
    if "fence_ids" in body:
        # Fences come and go while this runs.
        body["fence_ids"] = []
    if "/{id}" in operation:
        # The path's is the one that counts.
        body.pop("id", None)
    mend_times(body)


def mend_geometry(geometry):
    if not isinstance(geometry, dict):
        return
    if geometry.get("type") == "Polygon":
        geometry["coordinates"] = [SQUARE]
    if geometry.get("type") == "MultiPolygon":
        geometry["coordinates"] = [[SQUARE]]


def mend_times(value):
    """Windows that end when they start, campaigns that end before they begin, unknown zones."""
    if isinstance(value, list):
        for element in value:
            mend_times(element)
    if not isinstance(value, dict):
        return
    if value.get("start") is not None and value.get("start") == value.get("end"):
        value["end"] = "12:34" if value["start"] != "12:34" else "12:35"
    if value.get("valid_from") and value.get("valid_until"):
        value["valid_from"], value["valid_until"] = "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"
    if value.get("timezone") is not None:
        value["timezone"] = "Europe/Berlin"
    for member in value.values():
        mend_times(member)
