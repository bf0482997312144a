import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventCursor, EventSplitter, EventTooLong, type SseEvent, SseScanner } from './index.ts';

/** All events of a stream that arrives in the given pieces. */
function scan(pieces: Buffer[], maxBytes?: number): SseEvent[] {
  const scanner = new SseScanner(maxBytes);
  return [...pieces.flatMap((piece) => scanner.push(piece)), ...scanner.end()];
}

function cut(bytes: Buffer, at: number[]): Buffer[] {
  const points = [0, ...at.toSorted((a, b) => a - b), bytes.length];
  return points.slice(1).map((end, index) => bytes.subarray(points[index], end));
}

const lineText = fc.string({
  unit: fc.constantFrom('a', ' ', ':', '"', '{', '\\', '键', '😀'),
  maxLength: 6,
});
const event = fc.record({
  name: fc.option(
    lineText.map((text) => text.trimStart()),
    { nil: undefined },
  ),
  data: fc.array(lineText, { minLength: 1, maxLength: 3 }),
  comment: fc.boolean(),
});
const lineBreak = fc.constantFrom('\n', '\r\n', '\r');

/** A stream in a vendor's format, with the events that it encodes. */
const stream = fc
  .tuple(fc.array(event, { maxLength: 5 }), lineBreak, fc.boolean(), fc.constantFrom(' ', ''))
  .map(([events, end, withMark, gap]) => {
    const parts = events.map(({ name, data, comment }) => [
      ...(comment ? [': ping', 'id: 7', 'retry: 3', 'unknown'] : []),
      ...(name === undefined ? [] : [`event:${gap}${name}`]),
      ...data.map((line) => `data:${gap === '' && line.startsWith(' ') ? ' ' : gap}${line}`),
      '',
    ]);
    const text = parts
      .flat()
      .map((line) => line + end)
      .join('');
    return {
      bytes: Buffer.concat([Buffer.from(withMark ? [0xef, 0xbb, 0xbf] : []), Buffer.from(text)]),
      events: events.map(({ name, data }) => ({ name: name ?? '', data: data.join('\n') })),
    };
  });

describe('SseScanner', () => {
  test('reads every line ending, comments, names and data of several lines', () => {
    fc.assert(
      fc.property(stream, ({ bytes, events }) => {
        expect(scan([bytes])).toEqual(events);
      }),
      { numRuns: 500 },
    );
  });

  test('a stream cut anywhere gives the same events', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200), { maxLength: 6 }), ({ bytes, events }, at) => {
        expect(
          scan(
            cut(
              bytes,
              at.map((point) => Math.min(point, bytes.length)),
            ),
          ),
        ).toEqual(events);
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(stream, ({ bytes, events }) => {
        for (let at = 0; at <= bytes.length; at += 1) expect(scan(cut(bytes, [at]))).toEqual(events);
      }),
      { numRuns: 50 },
    );
  });

  test('a stream of single bytes gives the same events', () => {
    fc.assert(
      fc.property(stream, ({ bytes, events }) => {
        expect(scan([...bytes].map((byte) => Buffer.from([byte])))).toEqual(events);
      }),
      { numRuns: 200 },
    );
  });

  test('an event without its blank line at the end is still read', () => {
    expect(scan([Buffer.from('data: a\n\ndata: [DONE]')])).toEqual([
      { name: '', data: 'a' },
      { name: '', data: '[DONE]' },
    ]);
  });

  test('an event beyond the bound is an error, however it arrives', () => {
    const line = Buffer.from(`data: ${'x'.repeat(2_000)}`);
    expect(() => scan([line], 1_000)).toThrow(EventTooLong);
    expect(() =>
      scan(
        [...line].map((byte) => Buffer.from([byte])),
        1_000,
      ),
    ).toThrow(EventTooLong);
    expect(() => scan([Buffer.from('\r'), line], 1_000)).toThrow(EventTooLong);
    expect(scan([Buffer.from('data: 1\n\n'.repeat(1_000))], 1_000)).toHaveLength(1_000);
  });
});

describe('EventSplitter', () => {
  test('loses, adds and reorders no byte, and passes on whole events only', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200), { maxLength: 8 }), ({ bytes }, at) => {
        const splitter = new EventSplitter();
        const out = cut(
          bytes,
          at.map((point) => Math.min(point, bytes.length)),
        ).flatMap((piece) => {
          const whole = splitter.push(piece);
          return whole ? [whole] : [];
        });
        expect(out.filter((whole) => !/(\n|\r)(\r\n|\n|\r)$|^(\r\n|\n|\r)$/.test(String(whole)))).toEqual([]);
        expect(Buffer.concat([...out, splitter.rest() ?? Buffer.alloc(0)]).equals(bytes)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('passes a chunk of whole events on as it is, without a copy', () => {
    const splitter = new EventSplitter();
    const chunk = Buffer.from('data: 1\n\ndata: 2\n\n');
    expect(splitter.push(chunk)).toBe(chunk);
  });

  test('a long line in small pieces costs time in proportion to its length', () => {
    const splitter = new EventSplitter();
    let joins = 0;
    const piece = Buffer.alloc(64, 'x');
    for (let index = 0; index < 50_000; index += 1) if (splitter.push(piece)) joins += 1;
    expect(joins).toBe(0);
    expect(splitter.push(Buffer.from('\n\n'))?.length).toBe(50_000 * 64 + 2);
  });
});

describe('EventCursor', () => {
  test('has the position of each event, so that single events can be dropped from the bytes', () => {
    const bytes = Buffer.from('data: 1\n\n: note\n\nevent: error\ndata: {}\n\n');
    const cursor = new EventCursor().read(bytes);
    const seen: [string, string, number][] = [];
    while (cursor.next()) {
      seen.push([bytes.toString('utf8', cursor.start, cursor.end), cursor.name, cursor.dataLines]);
    }
    expect(seen).toEqual([
      ['data: 1\n\n', '', 1],
      [': note\n\n', '', 0],
      ['event: error\ndata: {}\n\n', 'error', 1],
    ]);
  });

  test('moves at once to the event that contains a byte', () => {
    fc.assert(
      fc.property(stream, fc.nat(200), ({ bytes }, point) => {
        const at = Math.min(point, bytes.length - 1);
        const walked = new EventCursor().read(bytes, true);
        while (walked.next() && walked.end <= at);
        const jumped = new EventCursor().read(bytes, true).skipTo(at);
        while (jumped.next() && jumped.end <= at);
        expect([jumped.start, jumped.end]).toEqual([walked.start, walked.end]);
      }),
    );
  });
});
