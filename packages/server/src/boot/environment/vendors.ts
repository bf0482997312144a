import { choice, integer, text, toggle } from './kinds.ts';

/** Defaults for single vendors, if a call or a channel does not set them. */
export const vendorVariables = {
  azureApiVersion: text('AZURE_DEFAULT_API_VERSION', {
    fallback: '2025-04-01-preview',
    meaning: 'API version of Azure channels that name none.',
  }),
  cohereSafetyMode: choice('COHERE_SAFETY_SETTING', {
    fallback: 'NONE',
    words: ['NONE', 'CONTEXTUAL', 'STRICT', 'OFF'],
    meaning: 'Safety mode of Cohere chats that name none: CONTEXTUAL, STRICT, OFF; NONE leaves it to Cohere.',
  }),
  geminiMaxImages: integer('GEMINI_VISION_MAX_IMAGE_NUM', {
    fallback: 16,
    min: -1,
    max: 100_000,
    meaning: 'Most images in a message translated to Gemini; -1 for any number.',
  }),
  openaiUsageUrl: text('OPENAI_USAGE_URL', {
    fallback: 'https://api.openai.com',
    meaning: "Where reconciliation reads an OpenAI organization's usage and costs.",
  }),
  anthropicUsageUrl: text('ANTHROPIC_USAGE_URL', {
    fallback: 'https://api.anthropic.com',
    meaning: 'The same for an organization at Anthropic.',
  }),
  openrouterUsageUrl: text('OPENROUTER_USAGE_URL', {
    fallback: 'https://openrouter.ai',
    meaning: 'The same for an account at OpenRouter.',
  }),
  difyDebug: toggle('DIFY_DEBUG', {
    fallback: true,
    meaning: "Show the steps of Dify's workflows as reasoning, in streams.",
  }),
};
