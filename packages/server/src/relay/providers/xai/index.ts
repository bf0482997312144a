import { cutSuffix, suffixFamilies } from '@tollgate/contract';
import { defineProvider } from '../../provider-kit/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import {
  renameMaxTokens,
  setEffort,
  listModels,
  openaiEndpoints,
  openaiRealtime,
} from '../../families/openai/index.ts';
import { grokVideo } from './video.ts';
import type { Adapted, AdaptContext } from '../../types/index.ts';

/** A name that ends with `-search` requests a web search (docs/compatibility.md#steps-of-a-chat-call). */
function adaptChat(body: JsonObject, context: AdaptContext): Adapted | undefined {
  const searched = cutSuffix(context.model, 'grok-search')?.model;
  if (searched !== undefined) {
    if (!isObject(body.search_parameters)) body.search_parameters = { mode: 'on' };
    const adapted = adaptEffort(body, { model: searched });
    return { ...adapted, model: adapted?.model ?? searched };
  }
  return adaptEffort(body, context);
}

/**
 * Of Grok's models only the small one of the third generation accepts an effort from the caller
 * (docs/compatibility.md#steps-of-a-chat-call).
 */
function adaptEffort(body: JsonObject, context: Pick<AdaptContext, 'model'>): Adapted | undefined {
  if (!suffixFamilies['grok-3-mini'].has(context.model)) return undefined;
  renameMaxTokens(body);
  const cut = cutSuffix(context.model, 'grok-3-mini');
  return cut && setEffort(body, cut);
}

/**
 * Grok's images have one size and one quality, and requests with either field are refused
 * (docs/compatibility.md#channel-types).
 */
function adaptImages(body: JsonObject): undefined {
  delete body.size;
  delete body.quality;
}

/**
 * xAI (Grok) offers OpenAI's API; it counts reasoning beside `completion_tokens`, which the usage reader detects by the
 * total.
 */
export const xai = defineProvider({
  type: 48,
  id: 'xai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai',
  models: [
    'grok-imagine-image',
    'grok-imagine-video',
    'grok-4.3',
    'grok-4.5',
    'grok-4.6',
    'grok-4.7',
    'grok-build-0.1',
  ],
  endpoints: openaiEndpoints(
    ['openai-chat', 'openai-responses', 'openai-completions', 'openai-embeddings', 'openai-images'],
    { adapt: { 'openai-chat': adaptChat, 'openai-images': adaptImages } },
  ),
  realtime: openaiRealtime,
  tasks: { video: grokVideo },
  fetchModels: listModels(),
});
