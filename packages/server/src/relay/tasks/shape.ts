import { textOf } from '../../lib/json.ts';
import type { VideoRequest } from '../types/index.ts';

/** Shape of a video in most vendors' terms: aspect ratio, and pixels of the shorter side. */
export interface Shape {
  /** For example `16:9`. */
  aspect: string;
  lines: number;
}

/** Width and height in pixels; undefined for a text that is not a size. */
function sidesOf(size: string): { width: number; height: number } | undefined {
  const found = /^\s*(\d{2,5})\s*[x*×]\s*(\d{2,5})\s*$/i.exec(size);
  return found ? { width: Number(found[1]), height: Number(found[2]) } : undefined;
}

/** The ratios that vendors name. A size has the nearest of them, because coders round its sides to whole blocks. */
const aspects = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', '9:21', '3:2', '2:3'] as const;
const valueOf = (aspect: string): number => {
  const [across = 1, down = 1] = aspect.split(':').map(Number);
  return across / down;
};

const nearestAspect = (width: number, height: number): string =>
  aspects.toSorted((a, b) => distance(a, width / height) - distance(b, width / height))[0] ?? '16:9';
const distance = (aspect: string, value: number): number => Math.abs(Math.log(valueOf(aspect) / value));

/**
 * The requested shape, by its size or by the fields `aspect_ratio` and `resolution`; missing parts are the vendor's
 * default.
 */
export function shapeOf({ size, extra }: Pick<VideoRequest, 'size' | 'extra'>, defaultShape: Shape): Shape {
  const sides = sidesOf(size ?? '');
  if (sides)
    return {
      aspect: nearestAspect(sides.width, sides.height),
      lines: Math.min(sides.width, sides.height),
    };
  const aspect = textOf(extra.aspect_ratio);
  const lines = linesIn(textOf(extra.resolution));
  return {
    aspect: aspects.find((each) => each === aspect) ?? defaultShape.aspect,
    lines: lines ?? defaultShape.lines,
  };
}

/** The shorter side of a named resolution (`720p`, `768P`, `4k`); undefined for others. */
function linesIn(resolution: string): number | undefined {
  if (/^4k$/i.test(resolution)) return 2_160;
  if (/^2k$/i.test(resolution)) return 1_440;
  const found = /^(\d{3,4})p?$/i.exec(resolution);
  return found ? Number(found[1]) : undefined;
}

/** Width and height of a shape as text, in even numbers. */
export function sizeText({ aspect, lines }: Shape): string {
  const value = valueOf(aspect);
  const long = Math.round((lines * Math.max(value, 1 / value)) / 2) * 2;
  return value >= 1 ? `${long}x${lines}` : `${lines}x${long}`;
}
