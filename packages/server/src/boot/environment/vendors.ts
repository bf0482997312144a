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
  stripeUrl: text('STRIPE_URL', {
    fallback: 'https://api.stripe.com',
    meaning: "Origin of Stripe's API, for payments.",
  }),
  difyDebug: toggle('DIFY_DEBUG', {
    fallback: true,
    meaning: "Show the steps of Dify's workflows as reasoning, in streams.",
  }),
};

/** Addresses of the sites for third-party sign-in; changed only for private installations and tests. */
export const signInVariables = {
  turnstileUrl: text('TURNSTILE_URL', {
    fallback: 'https://challenges.cloudflare.com',
    meaning: "Origin of the human check's service.",
  }),
  githubUrl: text('GITHUB_URL', {
    fallback: 'https://github.com',
    meaning: 'Origin of GitHub, or of a GitHub Enterprise server, for signing in.',
  }),
  githubApiUrl: text('GITHUB_API_URL', {
    fallback: 'https://api.github.com',
    meaning: "Address of GitHub's API, for signing in.",
  }),
  linuxdoUrl: text('LINUXDO_URL', {
    fallback: 'https://connect.linux.do',
    meaning: 'Origin of Linux DO Connect, for signing in.',
  }),
  discordUrl: text('DISCORD_URL', {
    fallback: 'https://discord.com',
    meaning: 'Origin of Discord, for signing in.',
  }),
  telegramUrl: text('TELEGRAM_URL', {
    fallback: 'https://oauth.telegram.org',
    meaning: "Origin of Telegram's log-in page.",
  }),
};
