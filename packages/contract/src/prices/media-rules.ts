import { entryOf } from './entry.ts';
import { vendorRatios } from './vendors/index.ts';

/** The image ratio of a model: the administrator's entry, else its vendor's, else 1. */
export const imageRatioFor = (model: string, option: Readonly<Record<string, number>>): number =>
  entryOf(option, model) ?? entryOf(vendorRatios.image, model) ?? 1;

/**
 * What a token of an image that the model made costs in input tokens: the administrator's entry, else the vendor's;
 * undefined where it costs as much as one of text.
 */
export const imageCompletionRatioFor = (
  model: string,
  option: Readonly<Record<string, number>>,
): number | undefined => entryOf(option, model) ?? entryOf(vendorRatios.imageCompletion, model);

/** Ratios of families (docs/compatibility.md#default-prices), the first match counts. */
const audioRules: readonly { name: RegExp; ratio: number }[] = [
  { name: /gpt-4o-realtime-preview$/, ratio: 8 },
  { name: /gpt-4o-mini-realtime-preview/, ratio: 16.666666667 },
  { name: /-realtime/, ratio: 20 },
  { name: /^gpt-4o-audio-preview/, ratio: 16 },
  { name: /^gpt-4o-mini-audio-preview/, ratio: 66.667 },
  { name: /-audio/, ratio: 40 },
];

/**
 * The audio ratio of a model: the administrator's entry, else its vendor's, else its family's, else 1. The original
 * applies its general value of 20 only to audio and realtime models; any other model's audio tokens count as text there
 * and here.
 */
export function audioRatioFor(model: string, option: Readonly<Record<string, number>>): number {
  const known = entryOf(option, model) ?? entryOf(vendorRatios.audio, model);
  return known ?? audioRules.find((rule) => rule.name.test(model))?.ratio ?? 1;
}

/**
 * The audio completion ratio of a model: the administrator's entry, else its vendor's, else 2
 * (docs/compatibility.md#default-prices).
 */
export function audioCompletionRatioFor(model: string, option: Readonly<Record<string, number>>): number {
  return entryOf(option, model) ?? entryOf(vendorRatios.audioCompletion, model) ?? 2;
}
