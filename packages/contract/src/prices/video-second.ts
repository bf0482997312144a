/**
 * Videos in the option ModelPrice (docs/compatibility.md#default-prices): US dollars for one second, at the size and the
 * quality that count as 1 in `videoRateOf`. Yuan of vendors that list them are dollars at 7.2. From the vendors' pages of
 * November 2026: developers.openai.com/api/docs/pricing, ai.google.dev/gemini-api/docs/pricing,
 * docs.x.ai/docs/models/grok-imagine-video, alibabacloud.com/help/en/model-studio (Wan). Videos of other vendors have no
 * default price: they are refused until the operator sets one.
 */
export const defaultVideoPrice: Readonly<Record<string, number>> = {
  // Play money, as for the other models of the built-in sandbox.
  'sandbox-video': 0.01,
  'sandbox-video-slow': 0.01,
  'sandbox-video-fail': 0.01,
  'sora-2': 0.1,
  'sora-2-pro': 0.3,
  'veo-2.0-generate-001': 0.5,
  'veo-3.0-generate-001': 0.4,
  'veo-3.0-fast-generate-001': 0.1,
  'veo-3.1-generate-preview': 0.4,
  'veo-3.1-fast-generate-preview': 0.1,
  'wan2.2-t2v-plus': 0.0195,
  'wan2.2-i2v-plus': 0.0195,
  'wan2.2-i2v-flash': 0.0139,
  'wan2.5-t2v-preview': 0.1,
  'wan2.5-i2v-preview': 0.1,
  'grok-imagine-video': 0.05,
};
