import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { field, file, readByPlatform, writeForm } from '../testing/protocols/forms.ts';
import { readBoundary, formEssence, FormError, rewriteForm, scanForm } from './form.ts';

const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 13, 10, 13, 10, 0]);
const boundary = 'test-boundary';

describe('the boundary', () => {
  test.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data; boundary="a b:c"', 'a b:c'],
    ['multipart/form-data;charset=utf-8; Boundary=----WebKitFormBoundaryX', '----WebKitFormBoundaryX'],
  ])('of %s is %s', (contentType, expected) => {
    expect(readBoundary(contentType)).toBe(expected);
  });

  test.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary=a; boundary=b',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
    'multipart/form-data; boundary="a\tb"',
  ])('of %s is refused', (contentType) => {
    expect(() => readBoundary(contentType)).toThrow(FormError);
  });
});

describe('a form', () => {
  it('has its parts read, no matter which client wrote it', () => {
    const dotNet = 'Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=model';
    const unquoted = "Content-Disposition: form-data; name=file; filename=a.wav; filename*=utf-8''a.wav";
    const { body } = writeForm([
      { head: dotNet, value: 'whisper-1' },
      { head: `content-disposition: form-data; name="prompt"\r\nContent-Transfer-Encoding: 8bit`, value: '' },
      { head: `${unquoted}\r\nContent-Type: audio/wav`, value: bytes },
    ]);
    const { parts } = scanForm(body, boundary);
    expect(parts.map(({ name, fileName, isFile, type }) => [name, fileName, isFile, type])).toEqual([
      ['model', undefined, false, 'text/plain; charset=utf-8'],
      ['prompt', undefined, false, ''],
      ['file', "utf-8''a.wav", true, 'audio/wav'],
    ]);
    const { valueStart, valueEnd } = parts[2]!;
    expect(body.subarray(valueStart, valueEnd)).toEqual(bytes);
  });

  const good = writeForm([field('model', 'm'), file('file', 'a.wav', bytes)]).body.toString('latin1');
  test.each([
    ['nothing', ''],
    ['JSON', '{"model":"m"}'],
    ['another boundary', good.replaceAll(boundary, 'other')],
    ['something before it', `hello${good}`],
    ['something behind it', `${good}hello`],
    ['no end', good.slice(0, -8)],
    ['half of it', good.slice(0, good.length >> 1)],
    ['line feeds alone', good.replaceAll('\r\n', '\n')],
    ['a boundary with a tail', good.replace(`--${boundary}\r\n`, `--${boundary}x\r\n`)],
    ['a part without a name', good.replace('name="model"', 'x="model"')],
    ['an empty name', good.replace('name="model"', 'name=""')],
    ['two names', good.replace('name="model"', 'name="model"; name="x"')],
    ['an encoded name', good.replace('name="model"', "name*=utf-8''model")],
    ['a name with a backslash', good.replace('name="model"', 'name="mo\\"del"')],
    ['a huge name', good.replace('name="model"', `name="${'x'.repeat(300)}"`)],
    ['a head without end', good.replace('name="model"', `name="${'x'.repeat(20_000)}"`)],
    [
      'a repeated header',
      good.replace('name="model"', 'name="model"\r\nContent-Disposition: form-data; name="n"'),
    ],
    ['a folded header', good.replace('form-data; name="model"', 'form-data;\r\n name="model"')],
    ['a control character', good.replace('name="model"', 'name="mo\x01del"')],
    [
      'a transfer encoding',
      good.replace('name="model"', 'name="model"\r\nContent-Transfer-Encoding: base64'),
    ],
    ['no disposition', good.replace('Content-Disposition: form-data; name="model"', 'X-Name: model')],
    ['a value without its own line end', good.replace('\r\n\r\nm\r\n', '\r\n\r\n')],
    [
      'too many parts',
      writeForm(Array.from({ length: 300 }, (_, at) => field(`f${at}`, ''))).body.toString(),
    ],
    ['the prototype', good.replace('name="model"', 'name="__proto__"')],
  ])('with %s is refused', (_name, text) => {
    expect(() => scanForm(Buffer.from(text, 'latin1'), boundary)).toThrow(FormError);
  });

  it('of no parts has none', () => {
    expect(scanForm(Buffer.from(`--${boundary}--`), boundary).parts).toEqual([]);
  });

  it('reads the same under any boundary', () => {
    const parts = [field('model', 'm'), file('file', 'a.wav', bytes)];
    const essence = (mark: string) => {
      const { body } = writeForm(parts, mark);
      return Buffer.concat(formEssence(body, scanForm(body, mark)));
    };
    expect(essence('one')).toEqual(essence('another'));
    const { body } = writeForm([field('model', 'other'), parts[1]!]);
    expect(Buffer.concat(formEssence(body, scanForm(body, boundary)))).not.toEqual(essence('one'));
  });
});

describe('rewriting', () => {
  const { body } = writeForm([
    field('model', 'm'),
    file('file', 'a.wav', bytes),
    field('list[]', 'one'),
    field('list[]', 'two'),
    field('stream', 'true'),
  ]);
  const change = (changes: [string, string | string[] | undefined][]) =>
    rewriteForm(body, scanForm(body, boundary), new Map(changes));

  it('replaces, removes and adds fields, and leaves every other byte alone', () => {
    expect(change([])).toEqual(body);
    expect(change([['model', 'longer name']]).toString('latin1')).toBe(
      body.toString('latin1').replace('\r\n\r\nm\r\n', '\r\n\r\nlonger name\r\n'),
    );
    const others = [
      field('model', 'm'),
      file('file', 'a.wav', bytes),
      field('list[]', 'three'),
      field('temperature', '0'),
    ];
    const changes: [string, string | string[] | undefined][] = [
      ['list[]', ['three']],
      ['stream', undefined],
      ['temperature', '0'],
    ];
    expect(change(changes)).toEqual(writeForm(others).body);
  });

  it('accepts no value with the boundary in it, and no file for a field', () => {
    expect(() => change([['model', `x--${boundary}`]])).toThrow(FormError);
    expect(() => change([['more', `--${boundary}--`]])).toThrow(FormError);
    expect(change([['file', 'text']]).toString('latin1')).toContain('name="file"\r\n\r\ntext');
    expect(change([['file', 'text']]).includes(bytes)).toBe(true);
  });

  const name = fc.stringMatching(/^[a-z_]{1,12}(\[\])?$/).filter((each) => each !== '__proto__');
  const text = fc.string({ unit: 'binary', maxLength: 30 }).filter((each) => each.isWellFormed());
  const part = fc.oneof(
    fc.tuple(name, text).map(([of, value]) => ({ name: of, text: value })),
    fc.tuple(name, fc.uint8Array({ maxLength: 60 })).map(([of, value]) => ({ name: of, bytes: value })),
  );
  type Part = { name: string; text?: string; bytes?: Uint8Array };
  const written = (parts: readonly Part[]) =>
    writeForm(
      parts.map((each) =>
        each.bytes ? file(each.name, 'f', Buffer.from(each.bytes)) : field(each.name, each.text ?? ''),
      ),
    );

  test('any form reads as if it had been written so, by a parser that is not ours', async () => {
    const changes = fc.array(fc.tuple(name, fc.option(text, { nil: undefined })), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), changes, async (parts, wanted) => {
        const { body: sent, contentType } = written(parts);
        const asked = new Map(wanted);
        const changed = rewriteForm(sent, scanForm(sent, boundary), asked);
        expect(await readByPlatform(changed, contentType)).toEqual(expectedEntries(parts, asked));
        expect(scanForm(changed, boundary).parts.length).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 300 },
    );
  });

  /** Simple, slow reference: a changed field's first part gets its text, the others are removed, new ones follow. */
  function expectedEntries(
    parts: readonly Part[],
    asked: ReadonlyMap<string, string | undefined>,
  ): [string, string][] {
    const seen = new Set<string>();
    const entries = parts.flatMap((each): [string, string][] => {
      if (each.bytes) return [[each.name, `f:${Buffer.from(each.bytes).toString('base64')}`]];
      if (!asked.has(each.name)) return [[each.name, each.text ?? '']];
      const value = seen.has(each.name) ? undefined : asked.get(each.name);
      seen.add(each.name);
      return value === undefined ? [] : [[each.name, value]];
    });
    const added = [...asked].flatMap(([key, value]): [string, string][] =>
      value === undefined || seen.has(key) ? [] : [[key, value]],
    );
    return [...entries, ...added];
  }
});

test.each(['utf-7', 'utf-16', 'UTF-16LE', '"iso-8859-1"', 'shift_jis'])(
  'a field in %s that parsers read differently is refused',
  (charset) => {
    const head = `Content-Disposition: form-data; name="quality"\r\nContent-Type: text/plain; charset=${charset}`;
    const { body } = writeForm([{ head, value: '+AGg-d' }]);
    expect(() => scanForm(body, boundary)).toThrow('not_utf8');
  },
);
