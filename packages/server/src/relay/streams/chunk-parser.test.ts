import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkParser } from './chunk-parser.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';

const placesOf = (chunk: JsonObject) => {
  const { choices } = chunk;
  const choice = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  if (!isObject(choice) || !isObject(choice.delta)) return [];
  const text = { holder: choice.delta, key: 'content' };
  return chunk.pad === undefined ? [text] : [text, { holder: chunk, key: 'pad' }];
};

const contentOf = (data: string): unknown => {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** What the parser reads from the chunks of a stream, one after the other. */
function readingOf(stream: readonly string[]): unknown[] {
  const parser = new ChunkParser(placesOf);
  return stream.map((data) => structuredClone(parser.parse(data)));
}

const chunk = (content: string, more: object = {}) =>
  JSON.stringify({ id: 'c-1', choices: [{ index: 0, delta: { content }, finish_reason: null, ...more }] });

/** Texts that could be taken for something else, among ordinary ones. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', 'a', ' the', 'content', '":"', '"}', '\\', '\\"', '\n', '中文', '😀', '\ud83d', 'c-1'),
);

const written = (value: string) => JSON.stringify(value).slice(1, -1);

/** Ways in which vendors, odd ones too, write a piece of text. */
const shape = fc.constantFrom<(piece: string, pad: string) => string>(
  (piece) => chunk(piece),
  (piece) => chunk(piece, { logprobs: { content: [{ token: piece }] } }),
  (piece) => chunk(piece).replaceAll(':', ': '),
  (piece) => `{"content":"${written(piece)}","choices":[{"delta":{"content":"${written(piece)}"}}]}`,
  (piece) => `{"content":"${written(piece)}","choices":[{"delta":{"content":"b"}}]}`,
  (piece) => `{"choices":[{"delta":{"content":"${written(piece)}","content":"b"}}]}`,
  (piece) => `{"choices":[{"delta":{"content":"b","content":"${written(piece)}"}}]}`,
  (piece) => `{"choices":[{"delta":{"content":"${written(piece)}","role":"${written(piece)}"}}]}`,
  (piece) => `{"choices":[{"delta":{"content":"${piece}"}}]}`,
  (piece) => `{"choices":[{"delta":{"content":null,"refusal":"${written(piece)}"}}]}`,
  (piece, pad) => `{"pad":"${written(pad)}",${chunk(piece).slice(1)}`,
  (piece, pad) => `${chunk(piece).slice(0, -1)},"pad":"${written(pad)}"}`,
  (piece, pad) => `${chunk(piece).slice(0, -1)},"pad": "${written(pad)}","usage":null}`,
  (piece, pad) => `{"pad":"${written(pad)}",${chunk(piece).slice(1, -1)},"pad":"${written(piece)}"}`,
  (piece, pad) =>
    `{"choices":[{"delta":{"pad":"${written(pad)}","content":"${written(piece)}"}}],"pad":"${pad}"}`,
  (piece, pad) =>
    `{"choices":[{"delta":{"content":"${written(piece)}"}}],"pad":"${pad}","content":"${written(piece)}"}`,
  (piece, pad) => `${chunk(piece).slice(0, -1)},"pad":["${written(pad)}"]}`,
  (piece) => `{"choices":[{"delta":{}},{"delta":{"content":"${written(piece)}"}}]}`,
  (piece) => piece,
);

describe('the chunks of a stream', () => {
  it('are what JSON says of each, in every order of odd shapes and texts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(shape, text, text), { maxLength: 12 }), (list) => {
        const stream = list.map(([write, piece, pad]) => write(piece, pad));
        expect(readingOf(stream)).toEqual(stream.map(contentOf));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are read without being parsed once one like them was, and parsed where they differ in more', () => {
    const parser = new ChunkParser(placesOf);
    const first = parser.parse(chunk('Hel'));
    expect(parser.parse(chunk('lo'))).toBe(first);
    expect(parser.parse(chunk(''))).toBe(first);
    expect(parser.parse(chunk('a "quote"'))).not.toBe(first);
    expect(parser.parse(chunk(' again'))).toBe(first);
    expect(parser.parse(chunk('x', { finish_reason: 'stop' }))).not.toBe(first);
  });

  it('are read so where a padding changes with the text, too, before it or behind it', () => {
    const behind = (content: string, pad: string) => `${chunk(content).slice(0, -1)},"pad":"${pad}"}`;
    const before = (content: string, pad: string) => `{"pad":"${pad}",${chunk(content).slice(1)}`;
    for (const write of [behind, before]) {
      const parser = new ChunkParser(placesOf);
      const first = parser.parse(write('Hel', 'abc'));
      expect(parser.parse(write('lo', 'defg'))).toBe(first);
      expect(first).toEqual(contentOf(write('lo', 'defg')));
      expect(parser.parse(write('', 'h'))).toBe(first);
      for (const escaped of [write('a\n', 'b'), write('\\', 'c\\t\\u00e9')]) {
        expect(parser.parse(escaped)).toBe(first);
        expect(first).toEqual(contentOf(escaped));
      }
      for (const other of [write('a "quote"', 'b'), write('a', '","id":"x'), write('a', '\\x')]) {
        expect(parser.parse(other)).not.toBe(first);
      }
      expect(parser.parse(write('!', ''))).toBe(first);
    }
  });

  it('that never are alike are parsed each, with no more lessons after the first few', () => {
    const stream = Array.from({ length: 40 }, (_, index) => chunk('word', { padding: 'x'.repeat(index) }));
    expect(readingOf(stream)).toEqual(stream.map(contentOf));
  });
});
