import type { Words } from '@tollgate/contract';
import { anthropicCalls } from './anthropic.ts';
import { drawingCalls } from './drawings.ts';
import { figuresCalls } from './figures.ts';
import { geminiCalls } from './gemini.ts';
import { openaiMedia } from './media.ts';
import { openaiLists, openaiTexts } from './openai.ts';
import type { RelayCall, RelayTag } from './call.ts';
import { songCalls } from './songs.ts';
import { googleVideos, otherVideos, videoCalls } from './videos.ts';

/** Every relay call of the reference, in its order. */
export const relayCalls: readonly RelayCall[] = [
  ...openaiTexts,
  ...openaiMedia,
  ...videoCalls,
  ...openaiLists,
  ...figuresCalls,
  ...anthropicCalls,
  ...geminiCalls,
  ...googleVideos,
  ...drawingCalls,
  ...songCalls,
  ...otherVideos,
];

/** The parts of the reference that relay calls belong to. */
export const relayTags: Record<RelayTag, Words> = {
  openai: { zh: '中转：OpenAI', en: 'Relay: OpenAI' },
  figures: { zh: '中转：密钥的余额与用量', en: 'Relay: balance and usage of a key' },
  anthropic: { zh: '中转：Anthropic', en: 'Relay: Anthropic' },
  gemini: { zh: '中转：Gemini', en: 'Relay: Gemini' },
  midjourney: { zh: '中转：Midjourney', en: 'Relay: Midjourney' },
  suno: { zh: '中转：Suno', en: 'Relay: Suno' },
  kling: { zh: '中转：可灵与即梦', en: 'Relay: Kling and Jimeng' },
};
