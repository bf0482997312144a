import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { AnswerParser } from './answer-parser.ts';

interface Read {
  status: number;
  headers: Record<string, unknown>;
  body: string;
  isComplete: boolean;
  keepMs: number;
  hasMore: boolean;
  fault: string;
}

/** Parses an answer from these pieces. If it is incomplete after them, the connection ends. */
function read(pieces: readonly (string | Buffer)[], parser = new AnswerParser()): Read {
  const got: Buffer[] = [];
  let status = 0;
  let headers = {};
  parser.start();
  // All reads share one buffer, as on a socket: the parser must copy the data that it keeps.
  const shared = Buffer.alloc(128 * 1024);
  for (const piece of pieces) {
    if (parser.isComplete || parser.fault) break;
    const bytes = Buffer.from(piece as string, 'latin1');
    shared.fill('?');
    bytes.copy(shared);
    parser.push(shared, bytes.length);
    const head = parser.takeHead();
    if (head) ({ status, headers } = head);
    const data = parser.takeData();
    if (data) got.push(data);
  }
  const lost = parser.isComplete || parser.fault ? undefined : parser.close();
  return {
    status,
    headers,
    body: Buffer.concat(got).toString('latin1'),
    isComplete: parser.isComplete,
    keepMs: parser.keepMs,
    hasMore: parser.hasMore,
    fault: (parser.fault ?? lost)?.message ?? '',
  };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunkedHead = `${ok}transfer-encoding: chunked\r\n\r\n`;

describe('an answer', () => {
  it('has a body as long as its Content-Length', () => {
    const got = read([`${ok}Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello`]);
    expect(got).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain', 'content-length': '5' },
      body: 'hello',
      isComplete: true,
      keepMs: 30_000,
      hasMore: false,
      fault: '',
    });
  });

  it('in chunks is joined, its extensions and trailers are skipped', () => {
    const got = read([`${chunkedHead}3;a="b;c"\r\nabc\r\n00A\r\n0123456789\r\n0\r\nx: y\r\nz: 1\r\n\r\n`]);
    expect([got.body, got.isComplete, got.keepMs, got.hasMore]).toEqual([
      'abc0123456789',
      true,
      30_000,
      false,
    ]);
  });

  it('without an end of its own lasts as long as the connection, which is not used again', () => {
    const got = read([`${ok}\r\nab`, 'cd']);
    expect([got.body, got.isComplete, got.keepMs]).toEqual(['abcd', true, 0]);
  });

  it.each([204, 304])('of status %i has no body', (status) => {
    const got = read([`HTTP/1.1 ${status} \r\nx: 1\r\n\r\n`]);
    expect([got.status, got.isComplete, got.keepMs]).toEqual([status, true, 30_000]);
    // An upstream that announces a body may also send it, and the body would look like the next answer.
    expect(read([`HTTP/1.1 ${status}\r\ncontent-length: 3\r\n\r\n`]).keepMs).toBe(0);
    expect(read([`HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n\r\n`]).keepMs).toBe(0);
  });

  it('may follow informational heads, which are not passed on', () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const got = read([`${early}${ok}content-length: 2\r\n\r\nok`]);
    expect([got.status, got.headers, got.body]).toEqual([200, { 'content-length': '2' }, 'ok']);
  });

  it('has names in lower case, repeated headers as a list, values byte by byte', () => {
    const head =
      'Set-Cookie: a\r\nset-cookie:b\r\nSET-COOKIE:\t c \t\r\nconstructor: d\r\n__proto__: e\r\nX: \xc3\xa0\r\n';
    const { headers } = read([`${ok}${head}content-length: 0\r\n\r\n`]);
    expect(headers).toEqual({
      'set-cookie': ['a', 'b', 'c'],
      constructor: 'd',
      x: '\xc3\xa0',
      'content-length': '0',
    });
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });
});

describe('a connection', () => {
  test.each([
    ['', 30_000],
    ['connection: Keep-Alive\r\n', 30_000],
    ['connection: close\r\n', 0],
    ['connection: x, Close\r\n', 0],
    ['connection: x\r\nconnection: close\r\n', 0],
    ['keep-alive: timeout=5\r\n', 4_000],
    ['keep-alive: max=3, timeout=120\r\n', 119_000],
    ['keep-alive: timeout=1\r\n', 0],
    ['keep-alive: timeout=99999\r\n', 600_000],
    ['keep-alive: max=3\r\n', 30_000],
  ])('after a head with %j is kept for %i ms', (field, keepMs) => {
    const got = read([`${ok}${field}content-length: 0\r\n\r\n`]);
    expect([got.isComplete, got.keepMs]).toEqual([true, keepMs]);
  });

  it('of HTTP/1.0 is kept only where the server says so', () => {
    expect(read(['HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n']).keepMs).toBe(0);
    expect(read(['HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n']).keepMs).toBe(
      30_000,
    );
  });

  it('reads the next answer as if it were the first', () => {
    const parser = new AnswerParser();
    read([`${chunkedHead}1\r\na\r\n0\r\nx: y\r\n\r\n`], parser);
    expect(read([`${ok}content-length: 1\r\n\r\nb`], parser)).toMatchObject({ body: 'b', isComplete: true });
    expect(read([`${chunkedHead}1\r\nc\r\n0\r\n\r\n`], parser)).toMatchObject({
      body: 'c',
      isComplete: true,
    });
  });

  it.each([`${ok}content-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n`, `${chunkedHead}0\r\n\r\n\r\n`])(
    'with bytes after the answer reports it (%j)',
    (wire) => expect(read([wire])).toMatchObject({ isComplete: true, hasMore: true }),
  );
});

describe('an invalid answer is refused', () => {
  test.each([
    ['garbage', 'hello there\r\n\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['lines that end in LF', 'HTTP/1.1 200 OK\ncontent-length: 0\r\n\r\n'],
    ['a bare CR', `${ok}x: a\rb\r\n\r\n`],
    ['a zero byte', `${ok}x: a\0b\r\n\r\n`],
    ['a continued line', `${ok}x: a\r\n b\r\n\r\n`],
    ['a blank before the colon', `${ok}content-length : 0\r\n\r\n`],
    ['a line without a colon', `${ok}what\r\nx: y\r\n\r\n`],
    ['a header without a name', `${ok}: x\r\n\r\n`],
    ['a change of protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'],
    ['two lengths that differ', `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\na`],
    ['a list of lengths', `${ok}content-length: 1, 1\r\n\r\na`],
    ['a length and chunks', `${chunkedHead.slice(0, -2)}content-length: 5\r\n\r\n0\r\n\r\n`],
    ['a bad length where there is no body', 'HTTP/1.1 204 x\r\ncontent-length: -1\r\n\r\n'],
    ['two lengths that are the same', `${ok}content-length: 1\r\ncontent-length: 1\r\n\r\na`],
    ['a tab behind a coding', `${chunkedHead.slice(0, -4)}\t\r\n\r\n0\r\n\r\n`],
    ['a trailer without a colon', `${chunkedHead}0\r\nwhat\r\n\r\n`],
    ['a length behind the chunks', `${chunkedHead}0\r\nContent-Length: 3\r\n\r\n`],
    ['an extension without a name', `${chunkedHead}1;=a\r\na\r\n0\r\n\r\n`],
    ['a negative length', `${ok}content-length: -1\r\n\r\n`],
    ['a length with a sign', `${ok}content-length: +1\r\n\r\na`],
    ['an empty length', `${ok}content-length:\r\n\r\n`],
    ['a length beyond all bounds', `${ok}content-length: 99999999999999999999\r\n\r\n`],
    ['a coding that we do not know', `${ok}transfer-encoding: gzip, chunked\r\n\r\n`],
    ['chunks told twice', `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['a chunk without a size', `${chunkedHead}\r\n`],
    ['a size that is no number', `${chunkedHead}g\r\n`],
    ['a size with a prefix', `${chunkedHead}0x1\r\na\r\n`],
    ['a blank behind the size', `${chunkedHead}1 \r\na\r\n`],
    ['a size beyond all bounds', `${chunkedHead}1000000000000\r\n`],
    ['a size without CR', `${chunkedHead}1\na\r\n`],
    ['a chunk longer than it says', `${chunkedHead}1\r\nab\r\n`],
    ['a chunk that ends in LF', `${chunkedHead}1\r\na\n0\r\n\r\n`],
    ['LF in an extension', `${chunkedHead}1;a\nb\r\na\r\n`],
    ['an endless extension', `${chunkedHead}1;${'x'.repeat(5_000)}\r\na\r\n0\r\n\r\n`],
    ['endless trailers', `${chunkedHead}0\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(70)}\r\n`],
    ['trailers that end in LF', `${chunkedHead}0\r\nx: y\n\r\n`],
    ['a head of 64 KB', `${ok}${`x: ${'y'.repeat(1_000)}\r\n`.repeat(66)}\r\n`],
    ['the beginning of such a head', `${ok}x: ${'y'.repeat(66_000)}`],
    ['an early head of version 1.0', `HTTP/1.0 100 Continue\r\n\r\n${ok}content-length: 0\r\n\r\n`],
    [
      'an early head that ends the connection',
      `HTTP/1.1 103 Hints\r\nconnection: close\r\n\r\n${ok}content-length: 0\r\n\r\n`,
    ],
    ['early heads without end', `${'HTTP/1.1 102 x\r\n\r\n'.repeat(5_000)}${ok}content-length: 0\r\n\r\n`],
  ])('%s', (_, wire) => {
    const got = read([wire]);
    expect(got).toMatchObject({
      isComplete: false,
      fault: expect.stringContaining('not HTTP/1.1') as unknown,
    });
    // The same in pieces of one byte.
    expect(read(Array.from(wire))).toMatchObject({ isComplete: false, fault: got.fault });
  });

  it.each([
    `${ok}content-length: 3\r\n\r\nab`,
    `${chunkedHead}3\r\nab`,
    `${chunkedHead}2\r\nab\r\n`,
    'HTTP/1.1 200',
    '',
  ])('and a truncated one fails (%j)', (wire) =>
    expect(read([wire])).toMatchObject({ isComplete: false, fault: 'other side closed' }),
  );

  it('but what came before the fault is passed on', () => {
    expect(read([`${chunkedHead}2\r\nab\r\n3\r\ncde\r\nwhat`])).toMatchObject({ status: 200, body: 'abcde' });
  });
});

describe('an answer, however it is cut into pieces,', () => {
  const payload = fc.array(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }), {
    maxLength: 6,
  });
  const framing = fc.constantFrom('length', 'chunked', 'close');
  const pad = fc.constantFrom('', '0', '000');
  const extension = fc.constantFrom('', ';a', ';name="v"');
  const early = fc.constantFrom('', 'HTTP/1.1 103 Hints\r\na: b\r\n\r\n');
  const trailer = fc.constantFrom('', 'x-trailer: 1\r\n');
  const answers = fc
    .tuple(payload, framing, pad, extension, early, trailer)
    .map(([parts, kind, zeros, extra, hints, last]) => {
      const body = parts.join('');
      const head = `${hints}${ok}content-type: text/plain\r\n`;
      if (kind === 'close') return { wire: `${head}\r\n${body}`, body };
      if (kind === 'length') return { wire: `${head}content-length: ${body.length}\r\n\r\n${body}`, body };
      const chunks = parts
        .map((part) => `${zeros}${part.length.toString(16)}${extra}\r\n${part}\r\n`)
        .join('');
      return { wire: `${head}transfer-encoding: chunked\r\n\r\n${chunks}0${extra}\r\n${last}\r\n`, body };
    });

  it('parses the same', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat()), ({ wire, body }, numbers) => {
        const whole = read([wire]);
        expect(whole).toMatchObject({ status: 200, body, isComplete: true, fault: '', hasMore: false });
        for (let at = 1; at < wire.length; at += 1) {
          expect(read([wire.slice(0, at), wire.slice(at)])).toEqual(whole);
        }
        const cuts = numbers.map((number) => number % wire.length).toSorted((a, b) => a - b);
        const pieces = [0, ...cuts].map((at, index) => wire.slice(at, cuts[index] ?? wire.length));
        expect(read(pieces)).toEqual(whole);
        expect(read(Array.from(wire))).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  it('is never complete when it is cut short, unless it ends with the connection', () => {
    fc.assert(
      fc.property(answers, ({ wire }) => {
        fc.pre(/content-length: [1-9]|chunked/.test(wire));
        for (let at = 0; at < wire.length; at += 1) expect(read([wire.slice(0, at)]).isComplete).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it('of any bytes is complete or an error, never an exception', () => {
    const byte = fc.constantFrom(
      ...Array.from('HTP/1. 20\r\n:;abcf0123456789'),
      'content-length: ',
      'chunked',
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 60 }), fc.boolean(), (parts, isBody) => {
        const wire = parts.join('');
        const got = read(isBody ? [chunkedHead, wire] : [wire]);
        expect(got.isComplete || got.fault !== '').toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
