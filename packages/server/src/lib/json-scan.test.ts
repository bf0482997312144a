import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ambiguousKey,
  append,
  countPlainMembers,
  isDeep,
  isIntricate,
  scanObject,
  splice,
  valueEnd,
} from './json.ts';

/** JSON text of an object with random blanks and several spellings of keys, with its value. */
const blank = fc.constantFrom('', ' ', '\n', '\t', ' \r\n ');
const jsonKey = fc.oneof(
  fc.constantFrom('model', 'stream', 'a', '', '"', '\\', '__proto__', '键', 'x\ny'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const escaped = (text: string): string =>
  `"${text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')}"`;
const member = fc.record({
  key: jsonKey,
  escape: fc.boolean(),
  value: fc.jsonValue({ maxDepth: 4 }),
  blanks: fc.tuple(blank, blank, blank, blank),
});
type MemberParts = typeof member extends fc.Arbitrary<infer Parts> ? Parts : never;
interface Written {
  text: string;
  /** Key and value as JSON text, in byte order. */
  pairs: [string, string][];
}
const write = (members: MemberParts[], edge: string): Written => ({
  text: `${edge}{${members
    .map(({ key, escape, value, blanks: [a, b, c, d] }) => {
      return `${a}${escape ? escaped(key) : JSON.stringify(key)}${b}:${c}${JSON.stringify(value, null, 1)}${d}`;
    })
    .join(',')}${members.length === 0 ? edge : ''}}${edge}`,
  pairs: members.map(({ key, value }) => [key, JSON.stringify(value)]),
});
const isPlain = (key: string): boolean => JSON.stringify(key).length === key.length + 2;
const plainMember = member.filter(({ key }) => isPlain(key)).map((parts) => ({ ...parts, escape: false }));
const uniqueKeys = fc
  .tuple(fc.uniqueArray(plainMember, { selector: ({ key }) => key, maxLength: 8 }), blank)
  .map(([members, edge]) => write(members, edge));
const anyKeys = fc
  .tuple(fc.array(member, { maxLength: 8 }), blank)
  .map(([members, edge]) => write(members, edge));

/** Members of an object by `JSON.parse`. The text must have unique keys without escapes. */
const parsed = (text: string): [string, string][] =>
  Object.entries(Object.getOwnPropertyDescriptors(JSON.parse(text) as object)).map(([key, property]) => [
    key,
    JSON.stringify(property.value),
  ]);
/** The members by our own scan. */
const scanned = (raw: Buffer): [string, string][] =>
  scanObject(raw)!.members.map((found) => [
    found.key,
    JSON.stringify(JSON.parse(raw.toString('utf8', found.valueStart, found.valueEnd))),
  ]);

describe('scanObject', () => {
  test('finds every member where JSON.parse finds it', () => {
    fc.assert(
      fc.property(uniqueKeys, ({ text }) => {
        expect(new Map(scanned(Buffer.from(text)))).toEqual(new Map(parsed(text)));
      }),
      { numRuns: 500 },
    );
  });

  test('finds members that occur twice or are spelled with escapes, each with its position', () => {
    fc.assert(
      fc.property(anyKeys, ({ text, pairs }) => {
        expect(scanned(Buffer.from(text))).toEqual(pairs);
      }),
      { numRuns: 500 },
    );
  });

  test('reports which keys occur twice, also in different spellings', () => {
    const scan = scanObject(
      Buffer.from('{"model":1,"a":{"model":2,"model":3},"mod\\u0065l":4,"b":5,"b":6,"b":7}'),
    );
    expect(scan?.duplicates).toEqual(['model', 'b']);
    expect(scan?.escaped).toEqual(['model']);
  });

  test('takes no longer for keys that occur twice than for others', () => {
    const keys = Array.from({ length: 100_000 }, (_, at) => `"k${at}":0`).join(',');
    const before = process.cpuUsage().user;
    expect(scanObject(Buffer.from(`{${keys},${keys}}`))!.duplicates).toHaveLength(100_000);
    // Pairwise comparison would take a minute.
    expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
  });

  test('distinguishes bodies that are built to keep the parser busy from long ones', () => {
    const busy = ['[],', '{"a":1},', '[[[', '"a":1,', '1234,', '" ",', '     '].map((each) =>
      Buffer.from(each.repeat(4_000_001)),
    );
    expect(busy.map(isIntricate)).toEqual(busy.map(() => true));
    const long = ['A', '1,', 'if (a[0]) { return {}; } // words: "and"\n', '{"a":[1]}'].map((each) =>
      Buffer.from(`{"x":${JSON.stringify(each.repeat(2_000_001))}}`),
    );
    expect(long.map(isIntricate)).toEqual(long.map(() => false));
    // More than the input of a model with a million tokens, in message parts or in numbers.
    const usual = ['{"type":"text","text":"word"},', '1234,'.repeat(20)].map((each) =>
      Buffer.from(`{"x":[${each.repeat(80_000).slice(0, -1)}]}`),
    );
    expect(usual.map(isIntricate)).toEqual([false, false]);
    expect(isIntricate(Buffer.from('[[]]'))).toBe(false);
    expect(isIntricate(Buffer.from(`["${'x'.repeat(600_000)}`))).toBe(false);
  });

  test('finds the end of a text with many escaped quotes', () => {
    for (const each of ['\\"', '\\\\\\"', 'a\\"b', '\\\\']) {
      for (const count of [63, 64, 65, 1_000]) {
        const text = `"${each.repeat(count)}"`;
        const raw = Buffer.from(`${text},"next"`);
        expect([each, count, valueEnd(raw, 0)]).toEqual([each, count, text.length]);
        expect(valueEnd(Buffer.from(text.slice(0, -1)), 0)).toBe(-1);
      }
    }
  });

  test('detects bodies that are nested too deeply to be serialized, ignoring brackets in texts', () => {
    const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const objects = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
    for (const nest of [lists, objects]) {
      const [within, beyond] = [`{"a":${nest(1_000)}}`, `{"a":${nest(1_001)}}`].map((text) =>
        Buffer.from(text),
      );
      expect([isDeep(within!), countPlainMembers(within!)]).toEqual([false, 1]);
      expect([isDeep(beyond!), countPlainMembers(beyond!)]).toEqual([true, -1]);
      expect(scanObject(beyond!)?.members).toHaveLength(1);
    }
    expect(isDeep(Buffer.from(`{"a":"${'['.repeat(5_000)}"}`))).toBe(false);
  });

  test('reports a key that two parsers could read differently', () => {
    const ambiguous = (text: string) => ambiguousKey(scanObject(Buffer.from(text))!);
    expect(ambiguous('{"model":1,"model":2}')).toBe('model');
    expect(ambiguous('{"mode\\u006c":1}')).toBe('model');
    expect(ambiguous('{"键":1,"model":{"a":1,"a":2}}')).toBeUndefined();
  });

  test('gives up on what is not an object instead of guessing', () => {
    for (const text of [
      '',
      '[1]',
      '{"a":1',
      '{"a"',
      '{"a":"x',
      '{"a":"x\\"}',
      '{a:1}',
      '{"a":1 "b":2}',
      '{"a":}',
      '{"a":[1}',
    ]) {
      expect(scanObject(Buffer.from(text))).toBeUndefined();
    }
  });

  test('is not stopped by deep nesting or long runs of backslashes', () => {
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)},"b":"${'\\\\'.repeat(20_001)}","c":1}`;
    expect(scanObject(Buffer.from(deep))?.members.map((member) => member.key)).toEqual(['a', 'b', 'c']);
  });
});

describe('splice', () => {
  const changeSet = fc.uniqueArray(
    fc.tuple(jsonKey.filter(isPlain), fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined })),
    { selector: ([key]) => key, maxLength: 4 },
  );

  const asChanges = (changes: [string, unknown][]): Map<string, string | undefined> =>
    new Map(changes.map(([key, value]) => [key, value === undefined ? undefined : JSON.stringify(value)]));

  test('means the same as changing the parsed object', () => {
    fc.assert(
      fc.property(uniqueKeys, changeSet, ({ text }, changes) => {
        const expected = new Map(parsed(text));
        for (const [key, value] of asChanges(changes)) {
          if (value === undefined) expected.delete(key);
          else expected.set(key, JSON.stringify(JSON.parse(value)));
        }
        expect(new Map(parsed(splice(Buffer.from(text), asChanges(changes)).toString()))).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('leaves exactly one of a key that occurred twice, and the others in their order', () => {
    fc.assert(
      fc.property(anyKeys, changeSet, ({ text, pairs }, changes) => {
        const asked = asChanges(changes);
        const left = pairs.flatMap(([key, value], index): [string, string][] => {
          if (!asked.has(key)) return [[key, value]];
          const isLast = pairs.findLastIndex(([other]) => other === key) === index;
          const next = asked.get(key);
          return isLast && next !== undefined ? [[key, JSON.stringify(JSON.parse(next))]] : [];
        });
        for (const [key, value] of asked) {
          if (value === undefined || pairs.some(([other]) => other === key)) continue;
          left.push([key, JSON.stringify(JSON.parse(value))]);
        }
        expect(scanned(splice(Buffer.from(text), asked))).toEqual(left);
      }),
      { numRuns: 1_000 },
    );
  });

  test('leaves every other byte unchanged', () => {
    const raw = Buffer.from('{ "z" : 1.0e2 ,\n "model":"a", "x":"\\u0041", "n":12345678901234567890 }');
    expect(splice(raw, new Map([['model', '"b"']])).toString()).toBe(
      '{ "z" : 1.0e2 ,\n "model":"b", "x":"\\u0041", "n":12345678901234567890 }',
    );
    expect(splice(raw, new Map([['z', undefined]])).toString()).toBe(
      '{ "model":"a", "x":"\\u0041", "n":12345678901234567890 }',
    );
    expect(
      splice(
        raw,
        new Map([
          ['n', undefined],
          ['x', undefined],
          ['new', 'true'],
        ]),
      ).toString(),
    ).toBe('{ "z" : 1.0e2 ,\n "model":"a","new":true }');
    expect(splice(Buffer.from('{ }'), new Map([['a', '1']])).toString()).toBe('{"a":1 }');
    expect(scanned(splice(raw, new Map([['model', undefined]]))).map(([key]) => key)).toEqual([
      'z',
      'x',
      'n',
    ]);
  });

  test('an unchanged body is not copied', () => {
    const raw = Buffer.from('{"a":1}');
    expect(splice(raw, new Map())).toBe(raw);
  });

  test('adding at the end has the same result, whatever the other members are', () => {
    fc.assert(
      fc.property(uniqueKeys, fc.jsonValue({ maxDepth: 2 }), ({ text, pairs }, value) => {
        fc.pre(pairs.length > 0 && pairs.every(([key]) => key !== 'added'));
        const added = new Map([['added', JSON.stringify(value)]]);
        expect(parsed(append(Buffer.from(text), added).toString())).toEqual(
          parsed(splice(Buffer.from(text), added).toString()),
        );
      }),
    );
  });
});

describe('the quick count of members', () => {
  const hasPlainKeys = (text: string): boolean =>
    scanObject(Buffer.from(text))!.members.every(
      ({ key, escaped: isEscaped }) => !isEscaped && /^[\0-\x7f]*$/.test(key),
    );

  test('equals the scan where all keys are plain, and is none where one must be scanned', () => {
    fc.assert(
      fc.property(fc.oneof(anyKeys, uniqueKeys), ({ text, pairs }) => {
        expect(countPlainMembers(Buffer.from(text))).toBe(hasPlainKeys(text) ? pairs.length : -1);
      }),
    );
  });

  test('agrees with the parsed keys only where no key is ambiguous', () => {
    fc.assert(
      fc.property(fc.oneof(anyKeys, uniqueKeys), ({ text }) => {
        const raw = Buffer.from(text);
        const agrees = countPlainMembers(raw) === Object.keys(JSON.parse(text) as object).length;
        const isPlainText = ambiguousKey(scanObject(raw)!) === undefined && hasPlainKeys(text);
        expect(agrees).toBe(isPlainText);
      }),
    );
  });

  test('is none for anything but an object, and for a key with invalid UTF-8', () => {
    for (const text of [
      '',
      '[]',
      '{',
      '{"a"}',
      '{"a":1',
      '{"a":1,}',
      '{"a":1]',
      '{a:1}',
      '{"a":}',
      '{"a":"',
    ]) {
      expect(countPlainMembers(Buffer.from(text))).toBe(-1);
    }
    expect(countPlainMembers(Buffer.from('{"a\xff":1}', 'latin1'))).toBe(-1);
    expect(countPlainMembers(Buffer.from(' { } '))).toBe(0);
  });
});
