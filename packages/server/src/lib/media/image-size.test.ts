import { expect, test } from 'vitest';
import { imageSize } from './image-size.ts';

const padded = (...parts: (readonly number[] | string)[]): Buffer =>
  Buffer.concat([
    ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
    Buffer.alloc(40),
  ]);

test('reads the size from the header of each kind of image', () => {
  const png = padded([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13], 'IHDR', [0, 0, 2, 0, 0, 0, 1, 0]);
  expect(imageSize(png)).toEqual({ width: 512, height: 256 });
  expect(imageSize(padded('GIF89a', [0, 2, 0, 1]))).toEqual({ width: 512, height: 256 });
  const jpeg = padded([
    0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc4, 0, 3, 1, 0xff, 0xc2, 0, 17, 8, 1, 0, 2, 0,
  ]);
  expect(imageSize(jpeg)).toEqual({ width: 512, height: 256 });
  const riff = ['RIFF', [0, 0, 0, 0], 'WEBP'] as const;
  expect(imageSize(padded(...riff, 'VP8X', [0, 0, 0, 0, 0, 0, 0, 0, 255, 1, 0, 255, 0, 0]))).toEqual({
    width: 512,
    height: 256,
  });
  expect(imageSize(padded(...riff, 'VP8 ', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1]))).toEqual({
    width: 512,
    height: 256,
  });
  const lossless = (511 | (255 << 14)) >>> 0;
  const bits = [lossless & 255, (lossless >> 8) & 255, (lossless >> 16) & 255, lossless >>> 24];
  expect(imageSize(padded(...riff, 'VP8L', [0, 0, 0, 0, 0x2f, ...bits]))).toEqual({
    width: 512,
    height: 256,
  });
});

test('anything else has no size', () => {
  expect(imageSize(Buffer.alloc(0))).toBeUndefined();
  expect(imageSize(Buffer.alloc(100))).toBeUndefined();
  expect(imageSize(padded([0xff, 0xd8], [1, 2, 3]))).toBeUndefined();
});
