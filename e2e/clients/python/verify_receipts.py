"""Verifies signed receipts with Python's standard library alone: a second opinion beside the command `verify`.

    verify_receipts.py KEYS FILE...

KEYS is the file of /.well-known/tollgate-receipts.json. Prints a JSON list with the problems of each file. Exits with 1 if any
file has a problem.
"""

import base64
import hashlib
import json
import sys

# Ed25519 (RFC 8032): the field, the order of the group, the curve's constant, and points as X, Y, Z, T.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(a, b):
    x1, y1, z1, t1 = a
    x2, y2, z2, t2 = b
    e = (y1 - x1) * (y2 - x2) % P
    f = (y1 + x1) * (y2 + x2) % P
    g = 2 * t1 * t2 * D % P
    h = 2 * z1 * z2 % P
    m, n, o, q = f - e, h - g, h + g, f + e
    return m * n % P, o * q % P, n * o % P, m * q % P


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def decode_point(data):
    """The point of 32 bytes; None for bytes that are none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT % P
    if x * x % P != square or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    point, r = decode_point(public), decode_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if point is None or r is None or s >= L:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    left = times(s, BASE)
    right = add(r, times(int.from_bytes(digest, "little") % L, point))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def once(pairs):
    """An object of JSON; a member that is there twice is refused."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member is there twice")
    return found


def no_fraction(text):
    raise ValueError(f"{text} is not whole")


def read_json(text):
    return json.loads(text, object_pairs_hook=once, parse_float=no_fraction, parse_constant=no_fraction)


def canonical(value):
    """RFC 8785 for texts, whole numbers, true, false and null. Names of members are ASCII, which sort alike everywhere."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def decode(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(data).decode().rstrip("=") != text:
        raise ValueError("it is no base64url")
    return data


def thumbprint(x):
    digest = hashlib.sha256(canonical({"crv": "Ed25519", "kty": "OKP", "x": x})).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def read_keys(text):
    keys = {key["kid"]: key for key in read_json(text)["keys"]}
    for kid, key in keys.items():
        if thumbprint(key["x"]) != kid:
            raise ValueError(f"the key {kid} is not what its id says")
    return keys


def open_line(text, keys):
    """The body of a line whose signature is valid, and its hash."""
    line = read_json(text)
    if set(line) != {"body", "signature"}:
        raise ValueError("it is not a body with a signature")
    body = line["body"]
    if body["v"] != 1 or body["type"] not in ("receipt", "month"):
        raise ValueError("unknown kind or version")
    key = keys.get(body["kid"])
    if key is None:
        raise ValueError("unknown key")
    signed = canonical(body)
    if not is_signed(decode(key["x"]), signed, decode(line["signature"])):
        raise ValueError("wrong signature")
    if not key["nbf"] - 300 <= body["sealed_at"] <= key.get("exp", body["sealed_at"]) + 300:
        raise ValueError("the key was not in use")
    if canonical(line) != text.encode():
        raise ValueError("it is not written as it was signed")
    return body, hashlib.sha256(signed).hexdigest()


def follow(before, body):
    """What is wrong with a receipt behind another one."""
    last, digest = before
    if body["account"] != last["account"]:
        return "another account"
    if body["seq"] != last["seq"] + 1:
        return "a gap"
    if body["prev"] != digest:
        return "a broken chain"
    if body["balance"] != last["balance"] + body["amount"]:
        return "a wrong balance"
    return None


def check_month(head, chain):
    count = head["last"] - head["first"] + 1
    if len(chain) != count:
        return [f"{count} receipts were signed, {len(chain)} are here"]
    within = [body for body, _ in chain if head["from"] <= body["at"] < head["to"]]
    charged = -sum(body["amount"] for body in within if body["kind"] == "usage")
    moved = sum(body["amount"] for body in within if body["kind"] != "usage")
    problems = []
    if (charged, moved) != (head["charged"], head["moved"]):
        problems.append("wrong sums")
    if not chain:
        return problems + (["wrong balances"] if head["opening"] != head["closing"] else [])
    first, last = chain[0][0], chain[-1][0]
    ends = (first["account"], first["seq"], last["seq"], first["prev"])
    if ends != (head["account"], head["first"], head["last"], head["prev"]):
        problems.append("the ends are not those of the head")
    if (first["balance"] - first["amount"], last["balance"]) != (head["opening"], head["closing"]):
        problems.append("wrong balances")
    return problems


def check(text, keys):
    """The problems of a file, and whether it is that of a month."""
    problems, chain, head, known = [], [], None, {}
    lines = [line for line in (each.removesuffix("\r") for each in text.split("\n")) if line]
    if not lines:
        return ["the file is empty"], False
    for number, line in enumerate(lines, 1):
        try:
            body, digest = open_line(line, keys)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            problems.append(f"line {number}: {error}")
            continue
        if body["type"] == "month":
            if number > 1:
                problems.append(f"line {number}: a head in the middle")
            else:
                head = body
            continue
        if (body["prev"] == "") != (body["seq"] == 1):
            problems.append(f"line {number}: no receipt before it")
        name = (body["account"], body["seq"])
        if name in known:
            problems.append(f"line {number}: twice")
        known[name] = (body, digest)
        chain.append((body, digest))
    for index, (body, _) in enumerate(chain):
        before = known.get((body["account"], body["seq"] - 1)) if head is None else index and chain[index - 1]
        wrong = before and follow(before, body)
        if wrong:
            problems.append(f"receipt {body['seq']}: {wrong}")
    return problems + (check_month(head, chain) if head else []), head is not None


def main():
    keys_file, *files = sys.argv[1:]
    with open(keys_file, encoding="utf-8") as file:
        keys = read_keys(file.read())
    results = []
    for name in files:
        try:
            with open(name, encoding="utf-8", newline="") as file:
                problems, is_month = check(file.read(), keys)
        except (ValueError, KeyError, TypeError) as error:
            problems, is_month = [f"it cannot be read: {error}"], False
        results.append({"file": name, "month": is_month, "problems": problems})
    print(json.dumps(results))
    sys.exit(1 if any(result["problems"] for result in results) else 0)


if __name__ == "__main__":
    main()
