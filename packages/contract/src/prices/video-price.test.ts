import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PriceSnapshot } from '../price.ts';
import { defaultPrices } from '../models/index.ts';
import { videoFactor, videoPrice } from './media-price.ts';

/** A model at its default price, in a group with ratio 1. */
const snapshotOf = (modelPrice: number, groupRatio = 1): PriceSnapshot => ({
  mode: 'call',
  modelRatio: 0,
  completionRatio: 0,
  cacheRatio: 1,
  cacheWriteRatio: 1,
  cacheWrite1hRatio: 1,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  groupRatio,
  modelPrice,
  webSearchPrice: 0,
  fileSearchPrice: 0,
  quotaPerUnit: 500_000,
  unset: false,
});
const dollars = (model: string, seconds: number, size: string, quality = 'standard'): number =>
  videoPrice(model, { seconds, size, quality }, snapshotOf(defaultPrices.ModelPrice[model]!)) / 500_000;

describe('the price of a video', () => {
  it.each([
    ['sora-2', 4, '720x1280', 'standard', 0.4],
    ['sora-2-pro', 8, '1280x720', 'standard', 2.4],
    ['sora-2-pro', 8, '1792x1024', 'standard', 4],
    ['sora-2-pro', 12, '1920x1080', 'standard', 8.4],
    ['veo-3.0-generate-001', 8, '1280x720', 'standard', 3.2],
    ['veo-3.1-fast-generate-preview', 8, '1920x1080', 'standard', 0.96],
    ['veo-3.1-fast-generate-preview', 4, '3840x2160', 'standard', 1.2],
    ['wan2.2-t2v-plus', 5, '1920x1080', 'standard', 0.4875],
    ['grok-imagine-video', 10, '1280x720', 'standard', 0.7],
  ])('of %s, %d s of %s in quality %s, is $%d', (model, seconds, size, quality, expected) => {
    expect(dollars(model, seconds, size, quality)).toBeCloseTo(expected, 6);
  });

  it('depends on quality where the vendor’s does, at any price that the operator sets', () => {
    const facts = { seconds: 5, size: '1280x720' };
    const price = (quality: string): number =>
      videoPrice('kling-v1', { ...facts, quality }, snapshotOf(0.02));
    expect([price('std'), price('pro')]).toEqual([50_000, 175_000]);
  });

  it('is that of one call for models that are not charged by the second', () => {
    expect(videoFactor('a-model-of-mine', { seconds: 60, size: '3840x2160', quality: 'pro' })).toBe(1);
  });

  it('is refused for a model that is priced by tokens, whose videos would be free', () => {
    const byTokens = { ...snapshotOf(-1), mode: 'ratio' as const };
    expect(() => videoPrice('m', { seconds: 5, size: '', quality: '' }, byTokens)).toThrow(RangeError);
  });
});

const models = Object.keys(defaultPrices.ModelPrice).filter((name) =>
  /sora|veo|kling|vidu|seedance|wan|hailuo/i.test(name),
);
const video = fc.record({
  model: fc.constantFrom(...models),
  seconds: fc.integer({ min: 1, max: 60 }),
  lines: fc.integer({ min: 100, max: 4_000 }),
  quality: fc.constantFrom('standard', 'std', 'pro', 'silent', 'constructor', ''),
});
const sized = (lines: number): string => `${lines * 2}x${lines}`;

describe('the price of any video', () => {
  it('is a whole amount above zero, the same in portrait and landscape', () => {
    fc.assert(
      fc.property(video, ({ model, seconds, lines, quality }) => {
        const snapshot = snapshotOf(defaultPrices.ModelPrice[model]!);
        const across = videoPrice(model, { seconds, size: sized(lines), quality }, snapshot);
        const upright = videoPrice(model, { seconds, size: `${lines}x${lines * 2}`, quality }, snapshot);
        expect([Number.isSafeInteger(across), across > 0, upright]).toEqual([true, true, across]);
      }),
    );
  });

  it('never falls when a video is longer or larger', () => {
    fc.assert(
      fc.property(video, fc.nat(30), fc.nat(2_000), ({ model, seconds, lines, quality }, longer, larger) => {
        const facts = { seconds, size: sized(lines), quality };
        const more = { seconds: seconds + longer, size: sized(lines + larger), quality };
        expect(videoFactor(model, more)).toBeGreaterThanOrEqual(videoFactor(model, facts));
      }),
    );
  });

  it('doubles with its seconds and with the ratio of the group', () => {
    fc.assert(
      fc.property(video, ({ model, seconds, lines, quality }) => {
        const facts = { seconds, size: sized(lines), quality };
        const once = videoPrice(model, facts, snapshotOf(defaultPrices.ModelPrice[model]!));
        const longer = videoPrice(
          model,
          { ...facts, seconds: seconds * 2 },
          snapshotOf(defaultPrices.ModelPrice[model]!),
        );
        const dearer = videoPrice(model, facts, snapshotOf(defaultPrices.ModelPrice[model]!, 2));
        expect(Math.abs(longer - once * 2)).toBeLessThanOrEqual(1);
        expect(dearer).toBe(longer);
      }),
    );
  });

  it('is never less than the largest size or the longest video costs where they are unreadable', () => {
    fc.assert(
      fc.property(video, ({ model, seconds, quality }) => {
        const unread = videoFactor(model, { seconds, size: 'huge', quality });
        expect(unread).toBe(videoFactor(model, { seconds, size: '9999x9999', quality }));
        expect(videoFactor(model, { seconds: NaN, size: 'huge', quality })).toBeGreaterThan(unread);
      }),
    );
  });
});
