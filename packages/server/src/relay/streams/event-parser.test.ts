import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { EventParser, type TextReader, TextTap } from './text-tap.ts';

const contentOf = (data: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Results of the parser for the events of a stream, one after the other. */
function readingOf(stream: readonly string[]): unknown[] {
  const parser = new EventParser();
  return stream.map((data) => parser.parse(data));
}

const chunk = (content: string, more: object = {}) =>
  JSON.stringify({ id: 'c-1', choices: [{ index: 0, delta: { content }, finish_reason: null, ...more }] });

/** Texts that look like syntax, among ordinary ones. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', 'a', ' the', 'content', '":"', '"}', '\\', '\\"', '\n', '中文', '😀', '\ud83d', 'c-1'),
);

const written = (value: string) => JSON.stringify(value).slice(1, -1);

/** Formats, including unusual ones, in which vendors write a piece of text. */
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
  (piece, pad) => `{"n":${pad.length},"delta":"${written(piece)}"}`,
  (piece, pad) => `{"delta":"${written(piece)}","n":${pad.length},"m":${piece.length}}`,
  (piece, pad) => `{"n":-${pad.length},"delta":"${written(piece)}"}`,
  (piece, pad) => `{"n":1${'0'.repeat(pad.length * 4)},"delta":"${written(piece)}"}`,
  (piece, pad) => `{"n":${pad.length}e${piece.length},"delta":"a"}`,
  (piece, pad) => `{"n":0${pad.length},"delta":"${written(piece)}"}`,
  (piece, pad) => `{"__proto__":"${written(piece)}","delta":{"__proto__":{"n":${pad.length}}}}`,
  (piece, pad) => `{"a,b":"${written(piece)}","a":{"b":"${written(pad)}"}}`,
  (piece) => piece,
);

describe('the chunks of a stream', () => {
  it('are as JSON.parse reads them, in every order of unusual shapes and texts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(shape, text, text), { maxLength: 12 }), (list) => {
        const stream = list.map(([write, piece, pad]) => write(piece, pad));
        expect(readingOf(stream)).toEqual(stream.map(contentOf));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are separate objects where they differ, and frozen where they are shared', () => {
    const parser = new EventParser();
    const events = ['Hel', 'lo', ' you', '', ' "there"', '!'].map((content) =>
      parser.parse(chunk(content, { logprobs: { content: [] } })),
    );
    const [, , one, , other] = events as { choices: { delta: JsonObject; logprobs: object }[] }[];
    expect(other!.choices[0]!.logprobs).toBe(one!.choices[0]!.logprobs);
    expect(() => Object.assign(one!.choices[0]!.logprobs, { content: 'changed' })).toThrow(TypeError);
    Object.assign(one!, { id: 'changed' });
    one!.choices[0]!.delta['content'] = 'changed';
    expect(other).toEqual(contentOf(chunk(' "there"', { logprobs: { content: [] } })));
    expect(parser.parse(chunk('x', { logprobs: { content: [] } }))).toEqual(
      contentOf(chunk('x', { logprobs: { content: [] } })),
    );
  });

  it('are of one shape where only texts and counts differ, wherever these are', () => {
    const writers: ((content: string, pad: string) => string)[] = [
      (content) => chunk(content),
      (content) => chunk(content).replaceAll(':', ': '),
      (content, pad) => `${chunk(content).slice(0, -1)},"pad":"${pad}"}`,
      (content, pad) => `{"pad":"${pad}",${chunk(content).slice(1)}`,
      (content, pad) => `{"sequence_number":${100 + pad.length},"delta":"${content}","logprobs":[]}`,
    ];
    for (const write of writers) {
      const parser = new EventParser();
      parser.parse(write('Hel', 'abc'));
      parser.parse(write('lo', 'defg'));
      for (const again of [write(' again', 'h'), write('', ''), write('a\\n', 'b'), write('中文', 'c')])
        expect(parser.shape?.read(again), again).toBeDefined();
      for (const other of [`${write('a', 'b')} `, write('a', 'b').replace('[', '[ '), '{}', ''])
        expect(parser.shape?.read(other), other).toBeUndefined();
    }
  });

  it('are of one shape where they are the same, letter by letter', () => {
    const parser = new EventParser();
    parser.parse(chunk('a'));
    parser.parse(chunk('a'));
    expect(parser.shape?.read(chunk('a'))).toEqual([]);
    expect(parser.shape?.read(`${chunk('a')} `)).toBeUndefined();
    expect(parser.parse(chunk('a'))).toEqual(contentOf(chunk('a')));
    expect(parser.parse(chunk('b'))).toEqual(contentOf(chunk('b')));
    expect(parser.shape?.read(chunk('c'))).toEqual(['c']);
  });

  it('that are never alike are each parsed, with no more attempts to learn their shape after the first few', () => {
    const stream = Array.from({ length: 80 }, (_, index) => chunk('word', { padding: Array(index).fill(0) }));
    expect(readingOf(stream)).toEqual(stream.map(contentOf));
  });
});

/** Text at every possible place, together with other fields. */
const readText: TextReader = (event, sink) => {
  const read = (value: Json | undefined, key: string): void => {
    if (Array.isArray(value)) for (const entry of value) read(entry, key);
    else if (isObject(value)) for (const [name, inner] of Object.entries(value)) read(inner, name);
    else if (typeof value === 'string' && (key === 'content' || key === 'delta')) sink.output(value);
    else if (typeof value === 'string' && key === 'b') sink.reasoning(value);
    else if (value === 3) sink.toolCall();
    else if (value === 1) sink.finish();
  };
  read(event, '');
};

describe('the text of a stream that passes', () => {
  it('is that of each of its events, in every order of unusual shapes and texts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(shape, text, text), { maxLength: 12 }), (list) => {
        const stream = list
          .map(([write, piece, pad]) => write(piece, pad))
          .filter((data) => !/[\r\n]/.test(data));
        const tap = new TextTap(readText);
        tap.gather(Buffer.from(stream.map((data) => `data: ${data}\n\n`).join('')));
        const plain = new TextTap(readText);
        for (const data of stream) {
          const event = contentOf(Buffer.from(data).toString());
          if (event) plain.readAnswer(event);
        }
        expect(tap.take()).toEqual(plain.take());
        expect(tap.finished).toBe(plain.finished);
      }),
      { numRuns: 2_000 },
    );
  });
});
