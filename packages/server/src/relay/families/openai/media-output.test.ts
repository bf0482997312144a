import { expect, it } from 'vitest';
import { imageOf, soundOf } from '../../../testing/upstream/answer-media.ts';
import { googleMedia } from '../google/index.ts';
import { maxImageTokens, secondsOfSound } from './index.ts';

it('an image counts by the best quality of its shape, one of unknown size as the largest', () => {
  const of = (width: number, height: number): number => maxImageTokens(imageOf(width, height).base64);
  expect([of(1_024, 1_024), of(1_024, 1_536), of(1_536, 1_024)]).toEqual([4_160, 6_240, 6_208]);
  expect([maxImageTokens(''), maxImageTokens('not an image')]).toEqual([6_240, 6_240]);
});

it('an image of Google’s counts by its size', () => {
  const of = (width: number, height: number): number | undefined =>
    googleMedia('image/png', imageOf(width, height).base64).imageTokens;
  expect([of(1_024, 1_024), of(1_344, 768), of(2_048, 2_048), of(4_096, 4_096)]).toEqual([
    1_290, 1_290, 1_680, 2_520,
  ]);
  expect(googleMedia('image/png', 'AAAA').imageTokens).toBe(2_520);
});

it('sound counts by its samples, and compressed sound as the longest that it can be', () => {
  const { base64 } = soundOf(2);
  expect(secondsOfSound(base64, 'pcm16')).toBeCloseTo(2, 3);
  expect(secondsOfSound(base64, '')).toBeCloseTo(2, 3);
  expect(secondsOfSound(base64, 'audio/L16;codec=pcm;rate=16000')).toBeCloseTo(3, 3);
  expect(secondsOfSound(base64, 'audio/L16;rate=1')).toBeCloseTo(2, 3);
  for (const format of ['opus', 'mp3', 'audio/mpeg', 'audio/ogg']) {
    expect(secondsOfSound(base64, format)).toBeCloseTo(96_000 / 750, 0);
  }
});
