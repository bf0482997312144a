import { type AdaptContext, refuse } from '../types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { callOf } from './call-path.ts';

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
  if (stream) throw refuse('images_not_streamed', { provider: name });
  if (!edits && callOf('openai-images', path) === '/edits')
    throw refuse('images_not_edited', { provider: name });
  const asked = Number(n ?? 1);
  if (asked > most) throw tooMany(name, most);
  return asked;
}

const tooMany = (provider: string, most: number) =>
  most === 1
    ? refuse('one_image_at_once', { provider })
    : refuse('too_many_images_at_once', { provider, most });
