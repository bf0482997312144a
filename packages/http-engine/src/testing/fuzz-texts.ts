import fc from 'fast-check';

/** Number of cases of each fuzz: few in `npm test`, more in `npm run test:deep`, by option in `npm run fuzz`. */
export const fuzzCases = Number(process.env['FUZZ_CASES'] || 4_000);
const seed = Number(process.env['FUZZ_SEED'] || NaN);
export const fuzzOptions = { numRuns: fuzzCases, ...(Number.isFinite(seed) && { seed }) };

const mostly = <T>(usual: T, ...rare: T[]) =>
  fc.oneof({ weight: 40, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...rare) });

const lineEnd = mostly('\r\n', '\n', '\r', '\r\r\n', '\r\n ', '');
/** Bytes that parsers have disagreed about. */
const hot = fc.constantFrom(
  '\r',
  '\n',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '0',
  '-',
  '+',
  'x',
  '\x0b',
  '\x80',
  '\xff',
);

const body = fc.constantFrom(
  '',
  'a',
  'hello',
  '{"a":1}',
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
);

const commonFields = [
  'X-A: 1',
  'x-a: 2',
  'Content-Type: application/json',
  'Connection: keep-alive',
  'Connection: close',
  'Connection: Close',
  'Connection: keep-alive, close',
  'Connection: upgrade',
  'Proxy-Connection: close',
  'Proxy-Connection: keep-alive',
  'Keep-Alive: timeout=5',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: Chunked',
  'transfer-encoding: gzip, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Content-Length : 5',
  'Content-Length: 5, 5',
  'Content-Length: +5',
  'Content-Length: 0x5',
  'Content-Length: 05',
  'Content-Length:',
  'Content-Length: 5 ',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Encoding: gzip',
  '__proto__: 1',
  '__PROTO__: 1',
  'constructor: 1',
  ' folded: 1',
  'no colon',
  ': empty',
  'X-B: \x01',
  'X-C: caf\xe9 ',
  'X-D:',
];
const requestFields = [
  ...commonFields,
  'Host: b',
  'Expect: 100-continue',
  'Expect: other',
  'Upgrade: websocket',
];

const chunked = fc.array(fc.constantFrom('a', 'bc', 'hello world!'), { maxLength: 3 }).chain((pieces) =>
  fc
    .record({
      size: mostly(
        (length: number) => length.toString(16),
        (length) => `0${length.toString(16)}`,
        (length) => ` ${length}`,
        (length) => `${length};x=y`,
        () => '-1',
        () => 'g',
        () => '',
      ),
      trailer: mostly('', 'x-t: 1\r\n', 'bad trailer\r\n', 'Content-Length: 3\r\n'),
      end: mostly('\r\n', '\n', ''),
    })
    .map(
      ({ size, trailer, end }) =>
        pieces.map((piece) => `${size(piece.length)}\r\n${piece}${end}`).join('') + `0\r\n${trailer}\r\n`,
    ),
);

const fieldsOf = (fields: readonly string[]) => {
  const field = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('X-A: 1', 'Content-Type: application/json', 'X-Long:  a b\t') },
    { weight: 2, arbitrary: fc.constantFrom(...fields) },
  );
  return fc.array(fc.tuple(field, lineEnd), { maxLength: 3 });
};

type Framing = { header: string; content: string };
const framing: fc.Arbitrary<Framing> = fc.oneof(
  {
    weight: 4,
    arbitrary: body.map((content) => ({ header: `Content-Length: ${content.length}\r\n`, content })),
  },
  { weight: 2, arbitrary: chunked.map((content) => ({ header: 'Transfer-Encoding: chunked\r\n', content })) },
  { weight: 1, arbitrary: body.map((content) => ({ header: '', content })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(body, fc.integer({ min: -2, max: 2 }))
      .map(([content, off]) => ({ header: `Content-Length: ${content.length + off}\r\n`, content })),
  },
);

const request = fc
  .record({
    method: mostly('POST', 'GET', 'post', 'PUT', 'OPTIONS', 'POST ', ''),
    target: mostly('/v1/a', '/', '*', 'http://a/b', '/a b', '/\xe9', '/?q=%00', ''),
    version: mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'http/1.1', 'HTTP/2.0', ''),
    first: lineEnd,
    host: mostly('Host: a\r\n', '', 'Host: a\r\nHost: b\r\n', 'host:\r\n'),
    framing,
    fields: fieldsOf(requestFields),
    blank: mostly('\r\n', '\n', ''),
  })
  .map(({ method, target, version, first, host, framing: { header, content }, fields, blank }) =>
    [`${method} ${target} ${version}${first}`, host, header, ...fields.flat(), blank, content].join(''),
  );

const answer = fc
  .record({
    early: mostly('', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Hints\r\na: b\r\n\r\n'),
    first: mostly(
      'HTTP/1.1 200 OK',
      'HTTP/1.0 200 OK',
      'HTTP/1.1 204 No Content',
      'HTTP/1.1 304 Not Modified',
      'HTTP/1.1 500',
      'HTTP/1.1 101 Switching',
      'HTTP/1.1  200 OK',
      'HTTP/2 200 OK',
      'HTTP/1.1 20 OK',
      'HTTP/1.1 2000 OK',
      'ICY 200 OK',
    ),
    end: lineEnd,
    framing,
    fields: fieldsOf(commonFields),
    blank: mostly('\r\n', '\n', ''),
    behind: mostly('', 'HTTP/1.1 200 OK\r\n\r\n', 'x', '\r\n'),
  })
  .map(({ early, first, end, framing: { header, content }, fields, blank, behind }) =>
    [early, first, end, header, ...fields.flat(), blank, content, behind].join(''),
  );

/** At most one byte of a text is replaced, removed or added. */
const mutated = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.nat(), hot, fc.constantFrom('none', 'none', 'none', 'add', 'cut', 'swap'))
    .map(([whole, place, byte, kind]) => {
      const at = place % (whole.length + 1);
      if (kind === 'none') return whole;
      return whole.slice(0, at) + (kind === 'cut' ? '' : byte) + whole.slice(kind === 'add' ? at : at + 1);
    });

/** One or two requests of a connection, each divided into reads. */
export const requestTexts = fc.array(
  fc.tuple(mutated(request), fc.option(fc.nat(), { freq: 3 })).map(([text, cut]) => pieces(text, cut)),
  { minLength: 1, maxLength: 2 },
);

/** An answer, with bytes before and after it, divided into reads. */
export const answerTexts = fc
  .tuple(mutated(answer), fc.option(fc.nat(), { freq: 2 }))
  .map(([text, cut]) => pieces(text, cut));

function pieces(text: string, cut: number | null): string[] {
  if (cut === null || text.length < 2) return [text];
  const at = 1 + (cut % (text.length - 1));
  return [text.slice(0, at), text.slice(at)];
}
