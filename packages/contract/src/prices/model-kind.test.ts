import { expect, test } from 'vitest';
import { modelKindOf } from './model-kind.ts';
import { defaultPrices } from '../models/index.ts';
import { videoRateOf } from './media-price.ts';

test.each([
  ['chat', 'gpt-4o claude-3-5-sonnet sandbox-think gpt-4o-audio-preview gemini-2.5-flash-image unheard-of'],
  ['image', 'dall-e-3 gpt-image-1 Kwai-Kolors/Kolors sandbox-image wanx-v1'],
  ['speech', 'tts-1 gpt-4o-mini-tts sandbox-speech'],
  ['transcription', 'whisper-1 gpt-4o-transcribe sandbox-transcription'],
  [
    'video',
    'sora-2 veo-3.0-generate-001 kling-v2-master viduq1 MiniMax-Hailuo-02 wan2.2-t2v-plus sandbox-video-fail',
  ],
  [
    'embeddings',
    'text-embedding-3-small minilm all-MiniLM-L6-v2 BAAI/bge-m3 bge-large-zh intfloat/e5-small multilingual-e5-large m3e-base nomic-embed-text Alibaba-NLP/gte-large tao-8k',
  ],
  ['rerank', 'sandbox-rerank BAAI/bge-reranker-v2-m3 rerank-english-v3.0 jina-reranker-v2-base-multilingual'],
  ['drawing', 'mj_imagine'],
  ['song', 'suno_music'],
  ['lyrics', 'suno_lyrics'],
  ['other', 'mj_upscale swap_face omni-moderation-latest gpt-4o-realtime-preview'],
])('%s: %s', (kind, models) => {
  for (const model of models.split(' ')) expect(modelKindOf(model), model).toBe(kind);
});

test('every model with a price by the second makes videos', () => {
  const bySecond = Object.keys(defaultPrices.ModelPrice).filter(videoRateOf);
  expect(bySecond.length).toBeGreaterThan(20);
  for (const model of bySecond) expect(modelKindOf(model), model).toBe('video');
});
