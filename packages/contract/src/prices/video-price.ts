import { quotaOf } from '../price.ts';
import type { PriceSnapshot } from '../price-units.ts';
import { type VideoRate, videoRateOf } from './video-rate.ts';
import { usageOf } from '../usage.ts';

/** What the price of a video is multiplied with. */
export interface VideoFacts {
  seconds: number;
  /** Width and height in pixels, such as `1280x720`. */
  size: string;
  quality: string;
}

/** No vendor makes a longer video in one task; also what a length that is no number counts as. */
const maxSeconds = 3_600;

/**
 * The factor on a model's price for one video: its seconds × its size × its quality where the model is charged by the
 * second, else 1. It is never less than the shortest video at the smallest size costs.
 */
export function videoFactor(model: string, { seconds, size, quality }: VideoFacts): number {
  const rate = videoRateOf(model);
  if (!rate) return 1;
  const length = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), maxSeconds) : maxSeconds;
  return length * sizeFactor(rate, size) * qualityFactor(rate, quality);
}

/** A size between two of the rate costs what the larger one costs; one that cannot be read, what the largest costs. */
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
 * What a video costs in quota units: the price of a call × `videoFactor`, rounded once; at least 1 where it is not free.
 * Throws RangeError for a model that is priced by tokens: a video has none.
 */
export function videoPrice(model: string, facts: VideoFacts, snapshot: PriceSnapshot): number {
  if (snapshot.mode !== 'call')
    throw new RangeError(`${model} is priced by tokens, which a video has none of`);
  return quotaOf(usageOf(), snapshot, { calls: 1, factor: videoFactor(model, facts) });
}
