import { expect, test } from 'vitest';
import { wavFile } from '../testing/forms.ts';
import { soundSeconds } from './sound-length.ts';

/** A frame of MPEG sound, layer 3, 128 kbit/s at 44.1 kHz: 1,152 moments. */
const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)]);

test('a sound tells its own length', async () => {
  expect(await soundSeconds(wavFile(12.5))).toBeCloseTo(12.5, 3);
  const mp3 = Buffer.concat(Array.from({ length: 1_000 }, () => frame));
  expect(await soundSeconds(mp3)).toBeCloseTo((1_000 * 1_152) / 44_100, 1);
});

test('a head that was never filled in does not make hours of seconds', async () => {
  expect(await soundSeconds(wavFile(3, 0xffffffff))).toBeCloseTo(3, 1);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('hello, this is no sound')],
  ['half a head', wavFile(1).subarray(0, 20)],
  ['zeros', Buffer.alloc(100_000)],
])('%s has no length', async (_name, bytes) => {
  expect(await soundSeconds(bytes)).toBeUndefined();
});
