import type { DeliveredMedia } from '../../relay/types/index.ts';

/** Output tokens of images and sound, as they are priced. */
export interface MediaTokens {
  imageOutput: number;
  audioOutput: number;
}

/** Tokens per second of sound by the vendor with the highest number: Google and Alibaba count 25, OpenAI 20. */
const maxPerSecond = 25;
const openaiPerSecond = 20;
const openaiModel = /^(gpt|o\d|chatgpt)/;

/** Upper bound of the tokens of images and sound: sizes holds, never bills. */
export const mediaTokenBound = (media: DeliveredMedia): MediaTokens => ({
  imageOutput: media.imageTokens,
  audioOutput: Math.ceil(media.soundSeconds * maxPerSecond),
});

/** What is billed for them if the vendor reports nothing. */
export const estimatedMediaTokens = (media: DeliveredMedia, model: string): MediaTokens => ({
  imageOutput: media.imageTokens,
  audioOutput: Math.ceil(media.soundSeconds * (openaiModel.test(model) ? openaiPerSecond : maxPerSecond)),
});

/** The sum of two. */
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
