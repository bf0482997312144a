/**
 * Videos in the option ModelPrice (docs/compatibility.md#default-prices): US dollars for one second, at the size and the
 * quality that count as 1 in `videoRateOf`. Yuan of vendors that list them are dollars at 7.2. From the vendors' pages of
 * November 2026: developers.openai.com/api/docs/pricing, ai.google.dev/gemini-api/docs/pricing,
 * docs.x.ai/docs/models/grok-imagine-video, alibabacloud.com/help/en/model-studio (Wan), volcengine.com/docs/82379/1544106
 * (Seedance, whose tokens are width × height × 24 frames / 1,024; from 2.0 on as LiteLLM 1.110.2 has them, with sound),
 * platform.minimax.io/docs/guides/pricing-paygo (Hailuo, by its longer video, whose second is the dearer) and
 * platform.vidu.com (credits of $0.005). Videos of other vendors have no default price: they are refused until the
 * operator sets one.
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
  'doubao-seedance-2-5-260628': 0.216,
  'doubao-seedance-2-0-260128': 0.141942857,
  'doubao-seedance-2-0-fast-260128': 0.114171429,
  'doubao-seedance-2-0-mini-260615': 0.070971429,
  'doubao-seedance-1-5-pro-251215': 0.04968,
  'doubao-seedance-1-0-pro-250528': 0.046575,
  'doubao-seedance-1-0-pro-fast-251015': 0.013041,
  'doubao-seedance-1-0-lite-t2v-250428': 0.03105,
  'doubao-seedance-1-0-lite-i2v-250428': 0.03105,
  'MiniMax-Hailuo-2.3': 0.056,
  'MiniMax-Hailuo-02': 0.056,
  viduq1: 0.08,
  'viduq3-pro': 0.15,
};
