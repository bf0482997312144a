import type { DeliveredMedia } from '../../relay/types/index.ts';

/** Output tokens of images and sound, as they are priced. */
export interface MediaTokens {
  imageOutput: number;
  audioOutput: number;
}

/** Tokens of a second of sound by the vendor that makes most of it: Google and Alibaba count 25, OpenAI 20. */
const mostPerSecond = 25;
const openaiPerSecond = 20;
const openaiModel = /^(gpt|o\d|chatgpt)/;

/** What images and sound cost at most: bounds holds, never bills. */
export const mostMediaTokens = (media: DeliveredMedia): MediaTokens => ({
  imageOutput: media.imageTokens,
  audioOutput: Math.ceil(media.soundSeconds * mostPerSecond),
});

/** What they are billed as where no vendor tells. */
export const likelyMediaTokens = (media: DeliveredMedia, model: string): MediaTokens => ({
  imageOutput: media.imageTokens,
  audioOutput: Math.ceil(media.soundSeconds * (openaiModel.test(model) ? openaiPerSecond : mostPerSecond)),
});

/** Two of them together. */
export function addedMedia(
  first: DeliveredMedia | undefined,
  second: DeliveredMedia | undefined,
): DeliveredMedia | undefined {
  if (!first || !second) return first ?? second;
  return {
    imageTokens: first.imageTokens + second.imageTokens,
    soundSeconds: first.soundSeconds + second.soundSeconds,
  };
}
