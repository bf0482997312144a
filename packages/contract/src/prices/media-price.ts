import { quotaOf } from '../price.ts';
import type { PriceSnapshot } from '../price-units.ts';
import { usageOf } from '../usage.ts';

/** Factors on the price of a second of video, by size and quality. */
export interface VideoRate {
  /** Pixels of the shorter side → factor. A size between two entries costs the same as the larger one. */
  lines?: Readonly<Record<number, number>>;
  /** Quality → factor; other qualities have the factor 1. */
  qualities?: Readonly<Record<string, number>>;
}

/**
 * Model families with videos charged per second. The first match counts. For all other models each video costs the
 * same. Families without a default price have their vendors' factors for sizes and qualities, so that an operator
 * sets one price per model.
 */
const rules: readonly (VideoRate & { name: RegExp })[] = [
  { name: /^sandbox-video/, lines: { 720: 1, 1080: 2 } },
  { name: /^sora-2-pro/, lines: { 720: 1, 1024: 5 / 3, 1080: 7 / 3 } },
  { name: /^sora-/, lines: { 720: 1, 1080: 3 } },
  { name: /^veo-2/ },
  { name: /^veo-.*fast/, lines: { 720: 1, 1080: 1.2, 2160: 3 } },
  { name: /^veo-/, lines: { 1080: 1, 2160: 1.5 } },
  { name: /^kling-v1$/, qualities: { pro: 3.5 } },
  { name: /^kling-.*master/ },
  { name: /^kling-v2-[56]/, qualities: { pro: 5 / 3, 'std-sound': 2, 'pro-sound': 10 / 3 } },
  { name: /^kling-/, qualities: { pro: 1.75, 'std-sound': 2, 'pro-sound': 3.5 } },
  { name: /^jimeng_/ },
  { name: /^viduq1/ },
  { name: /^viduq3-pro/, lines: { 540: 7 / 15, 720: 1, 1080: 16 / 15 } },
  { name: /^vidu/, lines: { 360: 0.5, 540: 0.6, 720: 1, 1080: 2.5 } },
  { name: /seedance-2-5/, lines: { 480: 0.4448, 720: 1, 1080: 2.475 } },
  { name: /seedance-2-0/, lines: { 480: 0.466, 720: 1, 1080: 2.4946, 2160: 5.087 } },
  { name: /seedance/, lines: { 480: 0.47, 720: 1, 1080: 2.38 } },
  { name: /^(?:T2V|I2V|S2V)-01/ },
  { name: /^MiniMax-Hailuo/, lines: { 512: 0.36, 768: 1, 1080: 1.75 } },
  { name: /^wan2\.2-.*flash/, lines: { 480: 1, 720: 2, 1080: 4.8 } },
  { name: /^wan2\.2-/, lines: { 480: 1, 720: 2, 1080: 5 } },
  { name: /^wanx?2/, lines: { 480: 0.5, 720: 1, 1080: 1.5 } },
  { name: /^grok-imagine-video/, lines: { 480: 1, 720: 1.4, 1080: 5 } },
  { name: /\/kling-/, lines: { 720: 1, 1080: 1.8 } },
];

/** Rate of a model that is charged per second; undefined if each video costs the same. */
export const videoRateOf = (model: string): VideoRate | undefined =>
  rules.find(({ name }) => name.test(model));

/** Properties of a video that affect its price. */
export interface VideoFacts {
  seconds: number;
  /** Width and height in pixels, such as `1280x720`. */
  size: string;
  quality: string;
}

/** More seconds than any vendor's video has. A value that is not a number counts as this length. */
const maxSeconds = 3_600;

/**
 * Factor on a model's price for one video: seconds × size × quality if the model is charged per second, otherwise 1.
 * It is at least the factor of the shortest video at the smallest size.
 */
export function videoFactor(model: string, { seconds, size, quality }: VideoFacts): number {
  const rate = videoRateOf(model);
  if (!rate) return 1;
  const length = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), maxSeconds) : maxSeconds;
  return length * sizeFactor(rate, size) * qualityFactor(rate, quality);
}

/**
 * Factor of a size. A size between two entries costs the same as the larger one, an unreadable size the same as the
 * largest.
 */
function sizeFactor({ lines = {} }: VideoRate, size: string): number {
  const known = Object.entries(lines).map(([line, factor]) => ({ line: Number(line), factor }));
  if (known.length === 0) return 1;
  const sides = /^(\d{1,5})x(\d{1,5})$/.exec(size);
  const shorter = sides ? Math.min(Number(sides[1]), Number(sides[2])) : Infinity;
  const inOrder = known.toSorted((a, b) => a.line - b.line);
  return (inOrder.find(({ line }) => line >= shorter) ?? inOrder.at(-1))?.factor ?? 1;
}

const qualityFactor = ({ qualities = {} }: VideoRate, quality: string): number =>
  Object.hasOwn(qualities, quality) ? (qualities[quality] ?? 1) : 1;

/**
 * Price of a video in quota units: the price of a call × `videoFactor`, rounded once; at least 1 unless it is free.
 * Throws RangeError for a model that is priced by tokens.
 */
export function videoPrice(model: string, facts: VideoFacts, snapshot: PriceSnapshot): number {
  if (snapshot.mode !== 'call')
    throw new RangeError(`${model} is priced by tokens, which a video has none of`);
  return quotaOf(usageOf(), snapshot, { calls: 1, factor: videoFactor(model, facts) });
}

/** Factor of an image's size on the per-call price (docs/compatibility.md#charge). Other sizes count as 1024x1024. */
const sizeFactors: Readonly<Record<string, number>> = {
  '256x256': 0.4,
  '512x512': 0.45,
  '1024x1024': 1,
  '1024x1792': 2,
  '1792x1024': 2,
};

/**
 * Factor on the price of each image (docs/compatibility.md#charge): the factor of its size. For dall-e-3 in `hd`
 * quality it is multiplied by 2, or by 1.5 for the two oblong sizes. Small sizes are cheaper only for models that
 * support them: other models ignore such a size and would make a full-size image for less.
 */
export function imageFactor(model: string, size: string, quality: string): number {
  const named = Object.hasOwn(sizeFactors, size) ? (sizeFactors[size] ?? 1) : 1;
  const bySize = model.startsWith('dall-e') ? named : Math.max(1, named);
  if (model !== 'dall-e-3' || quality !== 'hd') return bySize;
  return bySize * (bySize === 2 ? 1.5 : 2);
}
