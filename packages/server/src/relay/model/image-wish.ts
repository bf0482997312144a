import type { AdaptContext } from './provider.ts';
import type { JsonObject } from './json.ts';
import { callOf } from './openai/calls.ts';
import { refuse } from './relay-error.ts';

/** What a vendor of images can do, where it is less than OpenAI's own API can. */
export interface ImageMaker {
  /** As the caller reads it in a refusal. */
  name: string;
  /** Images of one call, at most. */
  most: number;
  edits: boolean;
}

/**
 * The images asked for (`n`, which the protocol has checked). Throws RelayError (400, `cannot_translate`: another
 * channel may do it) for what the vendor does not do: streams, edits, so many at once.
 */
export function imagesAsked(
  { n }: JsonObject,
  { path, stream }: Pick<AdaptContext, 'path' | 'stream'>,
  { name, most, edits }: ImageMaker,
): number {
  if (stream) throw no(`${name} does not stream images`);
  if (!edits && callOf('openai-images', path) === '/edits')
    throw no(`${name} makes new images and edits none`);
  const asked = Number(n ?? 1);
  if (asked > most) throw no(`${name} makes at most ${most} ${most === 1 ? 'image' : 'images'} at once`);
  return asked;
}

const no = (message: string) => refuse(400, 'cannot_translate', message);
