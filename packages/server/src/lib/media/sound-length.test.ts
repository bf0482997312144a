import { expect, test } from 'vitest';
import { wavFile } from '../../testing/protocols/forms.ts';
import { soundSeconds } from './sound-length.ts';

const mpegFrame = (head: number[], bytes: number): Buffer =>
  Buffer.concat([Buffer.from(head), Buffer.alloc(bytes - head.length)]);
/** A frame of MPEG sound, layer 3, 128 kbit/s at 44.1 kHz: 1,152 samples. */
const frame = mpegFrame([0xff, 0xfb, 0x90, 0x00], 417);
const mp3 = Buffer.concat(Array.from({ length: 1_000 }, () => frame));
const mp3Seconds = (1_000 * 1_152) / 44_100;

/** A silent first frame whose Xing header announces this number of frames. */
function xing(frames: number): Buffer {
  const first = Buffer.from(frame);
  first.write('Xing', 36, 'latin1');
  first.writeUInt32BE(1, 40);
  first.writeUInt32BE(frames, 44);
  return first;
}

/** Ogg with Opus. The last page gives one second as its time, whatever the number of pages. */
function ogg(pages: number): Buffer {
  const page = (flags: number, moment: bigint, number: number, data: Buffer): Buffer => {
    const head = Buffer.alloc(28);
    head.write('OggS', 0, 'latin1');
    head[5] = flags;
    head.writeBigInt64LE(moment, 6);
    head.writeUInt32LE(1, 14);
    head.writeUInt32LE(number, 18);
    head[26] = 1;
    head[27] = data.length;
    return Buffer.concat([head, data]);
  };
  const head = Buffer.from('OpusHead\u0001\u0001\0\0\u0080\u00bb\0\0\0\0\0', 'latin1');
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
  const sound = Array.from({ length: pages }, (_, at) =>
    page(at === pages - 1 ? 4 : 0, at === pages - 1 ? 48_000n : 0n, at + 2, Buffer.alloc(250)),
  );
  return Buffer.concat([page(2, 0n, 0, head), page(0, 0n, 1, tags), ...sound]);
}

test('a sound has its length in its header', async () => {
  expect(await soundSeconds(wavFile(12.5))).toBeCloseTo(12.5, 3);
  expect(await soundSeconds(mp3)).toBeCloseTo(mp3Seconds, 1);
  expect(await soundSeconds(Buffer.concat([xing(1_000), mp3]))).toBeCloseTo(mp3Seconds, 1);
  expect(await soundSeconds(ogg(10))).toBeCloseTo(1, 1);
});

test('frames of every kind are counted, after tags and between unknown bytes', async () => {
  const id3 = Buffer.concat([Buffer.from('ID3\u0004\0\0\0\0\u0002\0', 'latin1'), Buffer.alloc(256, 0xff)]);
  const repeat = (one: Buffer): Buffer => Buffer.concat(Array.from({ length: 100 }, () => one));
  const kinds: [Buffer, number][] = [
    // MPEG 2 layer 3, 64 kbit/s at 22.05 kHz.
    [mpegFrame([0xff, 0xf3, 0x80, 0x00], 208), 576 / 22_050],
    // MPEG 1 layer 2, 192 kbit/s at 48 kHz.
    [mpegFrame([0xff, 0xfd, 0xa4, 0x00], 576), 1_152 / 48_000],
    // MPEG 1 layer 1, 128 kbit/s at 32 kHz.
    [mpegFrame([0xff, 0xff, 0x48, 0x00], 192), 384 / 32_000],
    // ADTS, 200 bytes at 16 kHz.
    [mpegFrame([0xff, 0xf1, 0x60, 0x40, 0x19, 0x00, 0x00], 200), 1_024 / 16_000],
  ];
  for (const [one, seconds] of kinds) {
    expect(await soundSeconds(repeat(one))).toBeCloseTo(100 * seconds, 6);
    const torn = Buffer.concat([id3, repeat(one), Buffer.from('strange'), repeat(one), Buffer.from('TAG')]);
    expect(await soundSeconds(torn)).toBeCloseTo(200 * seconds, 6);
  }
});

test('a header that was never completed does not yield hours', async () => {
  expect(await soundSeconds(wavFile(3, 0xffffffff))).toBeCloseTo(3, 1);
});

test('a header with less than the file has is not used', async () => {
  expect(await soundSeconds(Buffer.concat([xing(38), mp3]))).toBeCloseTo(mp3Seconds, 1);
  const long = ogg(8_000);
  expect(await soundSeconds(long)).toBeCloseTo((long.length * 8) / 640_000, 1);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('hello, this is no sound')],
  ['half a head', wavFile(1).subarray(0, 20)],
  ['zeros', Buffer.alloc(100_000)],
  ['two frames', Buffer.concat([frame, frame])],
  ['frames among other things', Buffer.concat([mp3, Buffer.alloc(1_000_000, 0x41)])],
])('%s has no length', async (_name, bytes) => {
  expect(await soundSeconds(bytes)).toBeUndefined();
});

/** Turns of the event loop while a file is read that begins with `head` and goes on with `fill`. It has no length. */
async function countTurns(head: string, fill: string | Buffer, size: number): Promise<number> {
  const bytes = Buffer.alloc(size, fill, 'latin1');
  bytes.write(head, 0, 'latin1');
  let turns = 0;
  let isRead = false;
  const turn = () => {
    turns += 1;
    if (!isRead) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await soundSeconds(bytes)).toBeUndefined();
  isRead = true;
  return turns;
}

// 200,000 reads, 2,000 in a turn.
test.each<[string, string | Buffer]>([
  ['RIFF\u00ff\u00ff\u00ff\u00ffWAVE', Buffer.alloc(1)],
  ['\0\0\0\u0014ftypisom\0\0\0\0\0\0\0\0', '\0\0\0\u0014ftypisom\0\0\0\0\0\0\0\0'],
])('a container that is built to be searched for ever is given up, and pauses: %j', async (head, fill) => {
  for (const size of [4_000_000, 16_000_000]) expect(await countTurns(head, fill, size)).toBe(99);
});

test.each<[string, string | Buffer]>([
  ['MPCK', Buffer.alloc(1, 0xff)],
  ['\u00ff\u00f1', Buffer.alloc(1, 0xff)],
  ['\u00ff\u00f1', Buffer.alloc(1, 0x41)],
])('bytes that are built to be searched for ever do not block the event loop: %j', async (head, fill) => {
  const bytes = Buffer.alloc(4_000_000, fill, 'latin1');
  bytes.write(head, 0, 'latin1');
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 1);
  const before = process.cpuUsage().user;
  expect(await soundSeconds(bytes)).toBeUndefined();
  clearInterval(turning);
  const spentMs = (process.cpuUsage().user - before) / 1_000;
  expect(spentMs).toBeLessThan(2_000);
  // Short work needs no pause; long work has many.
  expect(turns).toBeGreaterThanOrEqual(Math.floor(spentMs / 500));
});
