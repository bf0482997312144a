import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { awsFrame, converseFrame } from '../testing/protocols/aws-frames.ts';
import { type AwsFrame, AwsFrameSplitter, BadFrame } from './aws-frames.ts';

interface Seen {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Frames parsed from the pieces, and whether the end cut one off; a failure is its message. */
function read(
  pieces: Iterable<Buffer>,
  splitter = new AwsFrameSplitter(),
): { seen: Seen[]; isTorn: boolean; failure: string | undefined } {
  const seen: Seen[] = [];
  try {
    for (const piece of pieces) {
      splitter.push(piece, ({ headers, body }) => void seen.push({ headers, body: body.toString('hex') }));
    }
  } catch (error) {
    if (!(error instanceof BadFrame)) throw error;
    return { seen, isTorn: splitter.isTorn, failure: error.message };
  }
  return { seen, isTorn: splitter.isTorn, failure: undefined };
}

/** Bytes cut at positions given as fractions of their length. */
function cutAt(bytes: Buffer, shares: readonly number[]): Buffer[] {
  const places = [...new Set(shares.map((share) => Math.floor(share * bytes.length)))].toSorted(
    (a, b) => a - b,
  );
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

// AWS's codec drops a header with this name. A separate test covers it.
const name = fc
  .string({ minLength: 1, maxLength: 40, unit: 'grapheme-ascii' })
  .filter((each) => each !== '__proto__');
const frame = fc.record({
  headers: fc.dictionary(name, fc.string({ maxLength: 60, unit: 'grapheme' }), { maxKeys: 4 }),
  body: fc.uint8Array({ maxLength: 300 }),
});
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
const written = (frames: readonly { headers: Record<string, string>; body: Uint8Array }[]): Buffer =>
  Buffer.concat(frames.map(({ headers, body }) => awsFrame(headers, Buffer.from(body))));

describe('frames', () => {
  test('are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), shares, (frames, places) => {
        const bytes = written(frames);
        const expected = frames.map(({ headers, body }) => ({
          headers: { ...headers },
          body: Buffer.from(body).toString('hex'),
        }));
        const whole = { seen: expected, isTorn: false, failure: undefined };
        expect(read([bytes])).toEqual(whole);
        expect(read(cutAt(bytes, places))).toEqual(whole);
        expect(read(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(whole);
      }),
    );
  });

  test('that are truncated are reported as such, and those before them are whole', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { minLength: 1, maxLength: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (frames, share) => {
          const bytes = written(frames);
          const end = Math.floor(share * bytes.length);
          const ends = frames.map((_, index) => written(frames.slice(0, index + 1)).length);
          const { seen, isTorn, failure } = read([bytes.subarray(0, end)]);
          expect([seen.length, isTorn, failure]).toEqual([
            ends.filter((each) => each <= end).length,
            end > 0 && !ends.includes(end),
            undefined,
          ]);
        },
      ),
    );
  });

  test('that are damaged at any byte are never passed on', () => {
    fc.assert(
      fc.property(frame, fc.nat(), fc.integer({ min: 1, max: 255 }), shares, (one, at, flip, places) => {
        const before = written([one]);
        const damaged = Buffer.from(before);
        damaged[at % damaged.length]! ^= flip;
        const { seen, failure } = read(cutAt(Buffer.concat([before, damaged]), places));
        expect([seen.length, failure === undefined]).toEqual([1, false]);
      }),
    );
  });

  test('with a header named __proto__ have only the others, and inherit nothing', () => {
    const bytes = awsFrame(JSON.parse('{":message-type":"event","__proto__":"value"}'), 'body');
    const frames: AwsFrame[] = [];
    new AwsFrameSplitter().push(bytes, (each) => void frames.push(each));
    const headers = frames.map((each) => each.headers);
    expect(headers.map((each) => Object.entries(each))).toEqual([[[':message-type', 'event']]]);
    expect(headers.map((each): unknown => Object.getPrototypeOf(each))).toEqual([Object.prototype]);
  });

  test('of arbitrary bytes fail or wait for more, without any other exception', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), (pieces) => {
        expect(read(pieces.map((piece) => Buffer.from(piece))).seen).toEqual([]);
      }),
    );
  });
});

describe('a frame of an invalid length fails as soon as the length is read', () => {
  const withLengths = (total: number, headers: number): Buffer => {
    const bytes = awsFrame({}, '');
    bytes.writeUInt32BE(total, 0);
    bytes.writeUInt32BE(headers, 4);
    // The checksum covers the two lengths.
    return Buffer.concat([bytes.subarray(0, 8), checksum(bytes.subarray(0, 8))]);
  };
  const checksum = (bytes: Buffer): Buffer => {
    // The codec cannot write a frame with the prelude `bytes`. The format's checksum is CRC-32.
    let crc = ~0;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    const out = Buffer.alloc(4);
    out.writeUInt32BE(~crc >>> 0);
    return out;
  };

  test.each([
    ['giant', 0xffff_ffff, 0, /longer than/],
    ['just beyond the bound', 16 * 1024 * 1024 + 128 * 1024 + 17, 0, /longer than/],
    ['shorter than itself', 15, 0, /impossible/],
    ['with headers beyond its end', 40, 25, /impossible/],
  ])('%s', (_name, total, headers, words) => {
    expect(read([withLengths(total, headers)]).failure).toMatch(words);
  });

  test('while one within the bound waits, with memory for the bytes that arrived', () => {
    const splitter = new AwsFrameSplitter();
    const head = withLengths(16 * 1024 * 1024, 0);
    expect(read([head, Buffer.alloc(100)], splitter)).toEqual({ seen: [], isTorn: true, failure: undefined });
    const before = process.memoryUsage().arrayBuffers;
    for (let sent = 0; sent < 1_000; sent += 1) splitter.push(Buffer.alloc(1), () => undefined);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  });

  test('and its body is valid until the next chunk', () => {
    const splitter = new AwsFrameSplitter();
    const bodies: Buffer[] = [];
    const event = converseFrame('messageStart', { role: 'assistant' });
    for (const piece of [event.subarray(0, 5), event.subarray(5)]) {
      splitter.push(piece, ({ body }) => void bodies.push(Buffer.from(body)));
    }
    expect(bodies.map(String)).toEqual(['{"role":"assistant"}']);
  });
});
