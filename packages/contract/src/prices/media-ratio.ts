/**
 * Default of the option ImageRatio (docs/compatibility.md#default-prices): an image input token in text tokens; 1
 * elsewhere.
 */
export const defaultImageRatio: Readonly<Record<string, number>> = { 'gpt-image-1': 2 };

/**
 * Default of the option AudioRatio: an audio input token in text tokens. The Gemini entries are the vendor's audio
 * prices (docs/compatibility.md#newer-behaviour) over the text prices of the default table.
 */
export const defaultAudioRatio: Readonly<Record<string, number>> = {
  'gpt-4o-audio-preview': 16,
  'gpt-4o-mini-audio-preview': 66.667,
  'gpt-4o-realtime-preview': 8,
  'gpt-4o-mini-realtime-preview': 16.667,
  'gpt-4o-mini-tts': 25,
  'gemini-2.0-flash': 7,
  'gemini-2.5-flash': 1 / 0.3,
  'gemini-2.5-flash-lite-preview-06-17': 5,
};

/** Default of the option AudioCompletionRatio: an audio output token in audio input tokens. */
export const defaultAudioCompletionRatio: Readonly<Record<string, number>> = {
  'gpt-4o-realtime-preview': 2,
  'gpt-4o-mini-realtime-preview': 2,
  'gpt-4o-mini-tts': 1,
  'tts-1': 0,
  'tts-1-1106': 0,
  'tts-1-hd': 0,
  'tts-1-hd-1106': 0,
};

/** Ratios of families (docs/compatibility.md#default-prices), the first match counts. */
const audioRules: readonly { name: RegExp; ratio: number }[] = [
  { name: /gpt-4o-realtime-preview$/, ratio: 8 },
  { name: /gpt-4o-mini-realtime-preview/, ratio: 16.667 },
  { name: /-realtime/, ratio: 20 },
  { name: /^gpt-4o-audio-preview/, ratio: 16 },
  { name: /^gpt-4o-mini-audio-preview/, ratio: 66.667 },
  { name: /-audio/, ratio: 40 },
];

/**
 * The audio ratio of a model: the administrator's entry, else its family's, else 1. The original applies its general
 * value of 20 only to audio and realtime models; any other model's audio tokens count as text there and here.
 */
export function audioRatioFor(model: string, option: Readonly<Record<string, number>>): number {
  const set = Object.hasOwn(option, model) ? option[model] : undefined;
  return set ?? audioRules.find((rule) => rule.name.test(model))?.ratio ?? 1;
}

/** The audio completion ratio of a model: the administrator's entry, else 2 (docs/compatibility.md#default-prices). */
export function audioCompletionRatioFor(model: string, option: Readonly<Record<string, number>>): number {
  const set = Object.hasOwn(option, model) ? option[model] : undefined;
  return set ?? 2;
}
