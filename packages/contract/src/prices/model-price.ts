import { defaultVideoPrice } from './video-second.ts';

/** Default of the option ModelPrice (docs/compatibility.md#default-prices): US dollars per call; of videos, per second. */
export const defaultModelPrice: Readonly<Record<string, number>> = {
  // Play money, as for the other models of the built-in sandbox.
  'sandbox-image': 0.01,
  suno_music: 0.1,
  suno_lyrics: 0.01,
  'dall-e-3': 0.04,
  'imagen-3.0-generate-002': 0.03,
  // A search of up to 100 documents (cohere.com/pricing), and an image (docs.x.ai/docs/models), November 2026.
  'rerank-english-v3.0': 0.002,
  'rerank-multilingual-v3.0': 0.002,
  'rerank-v3.5': 0.002,
  'rerank-v4.0-fast': 0.002,
  'rerank-v4.0-pro': 0.0025,
  'grok-imagine-image': 0.02,
  'gpt-4-gizmo-*': 0.1,
  mj_imagine: 0.1,
  mj_variation: 0.1,
  mj_reroll: 0.1,
  mj_blend: 0.1,
  mj_modal: 0.1,
  mj_zoom: 0.1,
  mj_shorten: 0.1,
  mj_high_variation: 0.1,
  mj_low_variation: 0.1,
  mj_pan: 0.1,
  mj_edits: 0.1,
  mj_video: 0.8,
  mj_inpaint: 0,
  mj_custom_zoom: 0,
  mj_describe: 0.05,
  mj_upscale: 0.05,
  swap_face: 0.05,
  mj_upload: 0.05,
  ...defaultVideoPrice,
};
