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
  'gpt-4o-mini-audio-preview': 66.666666667,
  'gpt-4o-realtime-preview': 8,
  'gpt-4o-mini-realtime-preview': 16.666666667,
  // Its sound costs 12 dollars a million where its text costs 0.60.
  'gpt-4o-mini-tts': 20,
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
