/** Kind of a model. `other` is for calls that people do not make by hand. */
export type ModelKind =
  | 'chat'
  | 'embeddings'
  | 'rerank'
  | 'image'
  | 'speech'
  | 'transcription'
  | 'video'
  | 'drawing'
  | 'song'
  | 'lyrics'
  | 'other';

/**
 * Model names by kind. The first match counts; all other models are chat models. Vendors' lists do not state the
 * kind.
 */
const rules: readonly (readonly [kind: ModelKind, name: RegExp])[] = [
  ['drawing', /^mj_imagine$/],
  ['song', /^suno_music$/],
  ['lyrics', /^suno_lyrics$/],
  ['rerank', /rerank/i],
  ['embeddings', /embed|\b(bge|m3e|e5|gte)-|minilm|\btao-8k$/i],
  ['other', /^mj_|^swap_face$|^suno|midjourney|moderation|realtime/i],
  ['video', /video|[tis]2v|^sora-|^veo-|hailuo|seedance|^kling-|\/kling-|^jimeng_|^vidu|^wanx?2/i],
  ['transcription', /whisper|transcri|asr/i],
  ['speech', /tts|speech/i],
  // Gemini models return images in a conversation.
  ['chat', /^gemini/i],
  ['image', /dall-e|image|imagen|flux|cogview|wanx|kolors|stable-diffusion|sdxl|seedream|ideogram/i],
];

/** Kind of a model, by its name. */
export const modelKindOf = (model: string): ModelKind =>
  rules.find(([, name]) => name.test(model))?.[0] ?? 'chat';

const taskKinds: ReadonlySet<ModelKind> = new Set(['video', 'song', 'lyrics']);

/** True if calls of the model need a price per call: tasks have no tokens, so a ratio is no price of theirs. */
export const needsCallPrice = (model: string): boolean => taskKinds.has(modelKindOf(model));
