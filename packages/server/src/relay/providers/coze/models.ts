/**
 * Models that bots are built on (docs/compatibility.md#default-model-lists); the name decides the price alone, the
 * bot brings its own model.
 */
export const models: readonly string[] = [
  'doubao-seed-2-1-pro-260915',
  'doubao-seed-2-0-pro-260215',
  'doubao-seed-2-0-lite-260215',
  'Doubao-1.5-pro-32k',
  'Doubao-1.5-pro-256k',
  'Doubao-1.5-lite-32k',
  'Doubao-1.5-pro-vision-32k',
  'Doubao-1.5-thinking-pro',
  'Doubao-pro-32k',
  'Doubao-lite-32k',
  'deepseek-v3',
  'deepseek-r1',
  'kimi-k2.6',
  'qwen-max',
  'glm-4.7',
];
