import { refuse, type Source, type VideoRequest, RelayError } from '../types/index.ts';
import { isFilled, type JsonObject } from '../../lib/json.ts';
import { shapeOf, type Shape } from './shape.ts';

/** An image in the form that most vendors accept: its address, or its data as a data URL. */
export function imageText(source: Source, vendor: string): string {
  if (source.kind === 'url') return source.url;
  if (source.kind === 'data') return `data:${source.mediaType};base64,${source.base64}`;
  throw refuse('video_field_unknown', { vendor, field: 'file_id' });
}

/** An image for vendors that accept data without the data URL's head. */
export function bareImage(source: Source, vendor: string): string {
  return source.kind === 'data' ? source.base64 : imageText(source, vendor);
}

/** All images of a request in order, the first frame first. */
export const imagesOf = ({ image, images = [] }: Pick<VideoRequest, 'image' | 'images'>): Source[] =>
  image ? [image, ...images] : images;

/** Limits of a vendor. Requests beyond them are refused and named, before anything is held. */
export interface VideoLimits {
  /** The name in a refusal. */
  vendor: string;
  /** The lengths in seconds, or the shortest and the longest one. */
  seconds: readonly number[] | { least: number; most: number };
  /** Its default shape, and the shorter sides that it makes, in pixels. */
  defaultShape: Shape;
  lines: readonly number[];
  /** Absent if any ratio is accepted. */
  aspects?: readonly string[];
  /** The most images; 0 for none. */
  images: number;
  /** True if a video can be remixed. */
  remixes?: boolean;
  /** True if it supports a negative prompt. */
  avoids?: boolean;
  /** Its own fields that pass; '*' for any. */
  own: readonly string[];
}

/** Names that `extra` may always have: request readers add them for all vendors. */
const shared = ['aspect_ratio', 'resolution'];

/** The refusal of an unsupported request; undefined if everything is supported. */
export function refusalOf(request: VideoRequest, limits: VideoLimits): RelayError | undefined {
  try {
    checkLength(request, limits);
    checkShape(request, limits);
    checkWords(request, limits);
    return undefined;
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
}

function checkLength({ seconds }: VideoRequest, { vendor, seconds: made }: VideoLimits): void {
  if (seconds === undefined) return;
  const isList = 'length' in made;
  const isMade = isList ? made.includes(seconds) : seconds >= made.least && seconds <= made.most;
  if (isMade && Number.isInteger(seconds)) return;
  const choices = isList ? made.join(', ') : `${made.least}–${made.most}`;
  throw refuse('video_seconds_not_made', { vendor, seconds, choices });
}

function checkShape(request: VideoRequest, { vendor, defaultShape, lines, aspects }: VideoLimits): void {
  const shape = shapeOf(request, defaultShape);
  const isAsked =
    request.size !== undefined || Object.keys(request.extra).some((key) => shared.includes(key));
  if (!isAsked) return;
  const sizeOr = (fallback: string): string => request.size ?? fallback;
  if (!lines.includes(shape.lines)) {
    const choices = lines.map((each) => `${each}p`).join(', ');
    throw refuse('video_size_not_made', { vendor, size: sizeOr(`${shape.lines}p`), choices });
  }
  if (aspects && !aspects.includes(shape.aspect))
    throw refuse('video_size_not_made', { vendor, size: sizeOr(shape.aspect), choices: aspects.join(', ') });
}

function checkWords(request: VideoRequest, limits: VideoLimits): void {
  const { vendor, own, images, remixes = false, avoids = false } = limits;
  const unknown = (field: string): RelayError => refuse('video_field_unknown', { vendor, field });
  const given = imagesOf(request);
  if (given.some(({ kind }) => kind === 'id')) throw unknown('file_id');
  if (given.length > images) throw unknown(images === 0 ? 'image' : 'images');
  if (request.remixOf !== undefined && !remixes) throw unknown('remix');
  if (request.negativePrompt !== undefined && !avoids) throw unknown('negative_prompt');
  // The price is that of one video.
  if ((request.n ?? 1) > 1) throw unknown('n');
  if (own.includes('*')) return;
  const strange = Object.keys(request.extra).find((key) => !shared.includes(key) && !own.includes(key));
  if (strange !== undefined) throw unknown(strange);
}

/** The vendor's own fields in a request, if they are not empty. */
export function ownFields({ extra }: Pick<VideoRequest, 'extra'>, own: readonly string[]): JsonObject {
  const names = own.includes('*') ? Object.keys(extra).filter((key) => !shared.includes(key)) : own;
  return Object.fromEntries(
    names
      .filter((name) => extra[name] === false || extra[name] === 0 || isFilled(extra[name]))
      .map((name) => [name, extra[name]]),
  );
}
