import type { Words } from '@tollgate/contract';
import { anthropicCalls } from './relay-anthropic.ts';
import { geminiCalls } from './relay-gemini.ts';
import { openaiMedia } from './relay-media.ts';
import { openaiLists, openaiTexts } from './relay-openai.ts';
import type { RelayCall, RelayTag } from './relay-call.ts';

/** Every relay call of the reference, in its order. */
export const relayCalls: readonly RelayCall[] = [
  ...openaiTexts,
  ...openaiMedia,
  ...openaiLists,
  ...anthropicCalls,
  ...geminiCalls,
];

/** The parts of the reference that relay calls belong to. */
export const relayTags: Record<RelayTag, Words> = {
  openai: { zh: '中转：OpenAI', en: 'Relay: OpenAI' },
  anthropic: { zh: '中转：Anthropic', en: 'Relay: Anthropic' },
  gemini: { zh: '中转：Gemini', en: 'Relay: Gemini' },
};
