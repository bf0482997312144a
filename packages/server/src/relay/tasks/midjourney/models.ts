/** The models that actions of Midjourney are billed as. */
export const drawingModels: readonly string[] = [
  'mj_imagine',
  'mj_describe',
  'mj_variation',
  'mj_blend',
  'mj_upscale',
  'mj_inpaint',
  'mj_zoom',
  'mj_shorten',
  'mj_reroll',
  'mj_modal',
  'mj_pan',
  'mj_custom_zoom',
  'mj_high_variation',
  'mj_low_variation',
  'mj_upload',
  'swap_face',
];
