import { type AdaptContext, refuse } from '../types/index.ts';
import { type JsonObject, numberOf } from '../../lib/json.ts';
import { callOf } from './define-provider.ts';

/** The capabilities of an image vendor, if it has fewer than OpenAI's own API. */
export interface ImageMaker {
  /** The vendor's name in error messages. */
  name: string;
  /** Most images of one call. */
  most: number;
  edits: boolean;
}

/**
 * The number of images (`n`, which the protocol has checked). Throws RelayError (400, `cannot_translate`: another
 * channel may support it) for what the vendor does not support: streams, edits, this many at once.
 */
export function imagesAsked(
  { n }: JsonObject,
  { path, stream }: Pick<AdaptContext, 'path' | 'stream'>,
  { name, most, edits }: ImageMaker,
): number {
  if (stream) throw refuse('images_not_streamed', { provider: name });
  if (!edits && callOf('openai-images', path) === '/edits')
    throw refuse('images_not_edited', { provider: name });
  const asked = numberOf(n ?? 1);
  if (asked > most) throw tooMany(name, most);
  return asked;
}

const tooMany = (provider: string, most: number) =>
  most === 1
    ? refuse('one_image_at_once', { provider })
    : refuse('too_many_images_at_once', { provider, most });
