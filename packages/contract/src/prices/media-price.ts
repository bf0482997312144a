import { quotaOf } from '../price.ts';
import type { PriceSnapshot } from '../price-units.ts';
import { usageOf } from '../usage.ts';

/** How much more or less a second of video costs at another size or quality. */
export interface VideoRate {
  /** Pixels of the shorter side → factor. A size between two costs as much as the larger one. */
  lines?: Readonly<Record<number, number>>;
  /** Quality → factor; others count as 1. */
  qualities?: Readonly<Record<string, number>>;
}

/**
 * Families of models with videos charged by the second; the first match counts. For all other models each video costs
 * the same. Families without a default price have their vendors' grades of sizes and qualities, so that an operator
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

/** The rate of a model that is charged by the second; undefined for one that costs the same for each video. */
export const videoRateOf = (model: string): VideoRate | undefined =>
  rules.find(({ name }) => name.test(model));

/** Factors on the price of a video. */
export interface VideoFacts {
  seconds: number;
  /** Width and height in pixels, such as `1280x720`. */
  size: string;
  quality: string;
}

/** Longer than any vendor's video; also the length of a value that is no number. */
const maxSeconds = 3_600;

/**
 * The factor on a model's price for one video: seconds × size × quality if the model is charged by the second,
 * otherwise 1. At least that of the shortest video at the smallest size.
 */
export function videoFactor(model: string, { seconds, size, quality }: VideoFacts): number {
  const rate = videoRateOf(model);
  if (!rate) return 1;
  const length = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), maxSeconds) : maxSeconds;
  return length * sizeFactor(rate, size) * qualityFactor(rate, quality);
}

/** A size between two costs as much as the larger one; an unreadable size as much as the largest. */
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
 * The price of a video in quota units: the price of a call × `videoFactor`, rounded once; at least 1 unless it is
 * free. Throws RangeError for a model that is priced by tokens.
 */
export function videoPrice(model: string, facts: VideoFacts, snapshot: PriceSnapshot): number {
  if (snapshot.mode !== 'call')
    throw new RangeError(`${model} is priced by tokens, which a video has none of`);
  return quotaOf(usageOf(), snapshot, { calls: 1, factor: videoFactor(model, facts) });
}

/** Factor of an image's size on the per-call price (docs/compatibility.md#charge); other sizes count as 1024x1024. */
const sizeFactors: Readonly<Record<string, number>> = {
  '256x256': 0.4,
  '512x512': 0.45,
  '1024x1024': 1,
  '1024x1792': 2,
  '1792x1024': 2,
};

/**
 * Factor on the price of each image (docs/compatibility.md#charge): its size, and for dall-e-3 in `hd` quality twice
 * as much, or 1.5 times for the two oblong sizes. Small sizes are cheaper only for models that make them: others
 * ignore such a size, and would make a whole image for less.
 */
export function imageFactor(model: string, size: string, quality: string): number {
  const named = Object.hasOwn(sizeFactors, size) ? (sizeFactors[size] ?? 1) : 1;
  const bySize = model.startsWith('dall-e') ? named : Math.max(1, named);
  if (model !== 'dall-e-3' || quality !== 'hd') return bySize;
  return bySize * (bySize === 2 ? 1.5 : 2);
}
