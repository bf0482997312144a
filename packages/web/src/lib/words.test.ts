import { expect, test } from 'vitest';

const sources = import.meta.glob<string>(
  [
    '../**/*.{ts,tsx}',
    '../../../contract/src/**/*.ts',
    '../../../server/src/{http,services}/**/*.ts',
    '!**/*.test.*',
    // These words are from the original or the vendors.
    '!**/relay-errors/**',
  ],
  { query: '?raw', import: 'default', eager: true },
);

/** Every text in both languages that a file declares, with the name it has there; a plural counts as two texts. */
function* textsOf(source: string): Generator<{ name: string; zh: string; en: string }> {
  const word = String.raw`(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|\x60((?:\\.|[^\x60\\])*)\x60)`;
  const pattern = new RegExp(
    String.raw`(?:(\w+):\s*)?\{\s*zh:\s*${word},\s*en:\s*(?:\{\s*one:\s*${word},\s*other:\s*${word}|${word})`,
    'g',
  );
  for (const [, name = '', ...found] of source.matchAll(pattern)) {
    const [zh, one, other, single] = [0, 3, 6, 9].map((at) => found.slice(at, at + 3).find(Boolean));
    for (const en of [one, other, single])
      if (zh !== undefined && en !== undefined) yield { name, zh, en: en.replaceAll("\\'", "'") };
  }
}

const all = Object.entries(sources).flatMap(([path, source]) =>
  [...textsOf(source)].map((text) => ({ path, ...text })),
);

test('the texts of the console and the contract are found', () => {
  expect(all.length).toBeGreaterThan(4500);
});

test('a key is called a key: where Chinese says 令牌, no English says token', () => {
  const wrong = all.filter(
    ({ zh, en }) =>
      /令牌/.test(zh.replace(/访问令牌/g, '')) &&
      // A text may contain both the meaning of a key and the unit.
      !/Token|词元/.test(zh) &&
      /\btokens?\b/i.test(en.replace(/access tokens?/gi, '')),
  );
  // Fields of the API keep their names.
  expect(wrong.filter(({ en }) => !en.includes('`token`'))).toEqual([]);
});

test('a hint is one sentence of at most 120 characters', () => {
  const wrong = all
    .filter(({ name }) => /hint$|^help$/i.test(name))
    .filter(
      ({ zh, en }) =>
        en.length > 120 || /[.!?]["”)]?\s+\S/.test(en.replace('e.g.', '')) || /[。！？](?!$|[”）])/.test(zh),
    );
  expect(wrong).toEqual([]);
});
