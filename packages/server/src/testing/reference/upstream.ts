import { wavFile } from '../protocols/forms.ts';
import { playModel } from '../model/fake-model.ts';
import { type Behaviour, healthy, json } from '../upstream/fake-upstream-scripts.ts';
import { fakeContainers } from '../upstream/fake-containers.ts';
import { fakeBatches } from '../upstream/fake-batches.ts';
import { fakeGoogleBatches } from '../upstream/fake-google-batches.ts';
import { fakeGoogleFiles } from '../upstream/fake-google-files.ts';
import { images, imageUsage, speech, transcript } from '../upstream/fake-upstream-media.ts';

/** One second of audio, for the examples of the reference. */
export const soundFile = new Uint8Array(wavFile(1));

const { behaviour: googleFiles } = fakeGoogleFiles(healthy());
/** The vendor's batches, which end on demand, and files. */
export const exampleBatches = fakeBatches(healthy());
export const exampleGoogleBatches = fakeGoogleBatches(healthy());
/** The input of a batch. */
export const batchLine = JSON.stringify({
  custom_id: 'first',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello!' }] },
});
const chats = playModel(() => ({ say: 'Hello! How can I help you?' }));
const ranks = [
  { index: 0, relevance_score: 0.98 },
  { index: 1, relevance_score: 0.02 },
];
const vector = { values: [0.1, -0.2, 0.3] };

/** A response that a vendor stores, as it is read, cancelled or deleted. */
export function storedResponse(path: string, method = 'GET'): object {
  const id = /(resp_\w+)/.exec(path)?.[1];
  if (method === 'DELETE') return { id, object: 'response', deleted: true };
  const usage = { input_tokens: 3, output_tokens: 1, total_tokens: 4 };
  return { id, object: 'response', status: 'completed', store: true, output: [], usage };
}

/** A conversation that a vendor keeps, its items, or one of them. */
function conversationAt(path: string, method: string): object {
  const [, id = 'conv_example', items, item] =
    /conversations\/?([^/?]*)\/?(items)?\/?([^/?]*)/.exec(path) ?? [];
  if (item && method === 'GET') return { id: item, type: 'message', role: 'user', content: [] };
  if (items && !item) return { object: 'list', data: [], has_more: false };
  if (method === 'DELETE' && !items) return { id, object: 'conversation.deleted', deleted: true };
  return { id: id || 'conv_example', object: 'conversation', created_at: 1_790_000_000, metadata: {} };
}

/** The vendor's containers. */
const { behaviour: containers } = fakeContainers(healthy());

/** Behaviour of the upstream by the end of the path. The first match applies. */
const behaviours: readonly [RegExp, Behaviour][] = [
  [/\/(chat\/completions|responses|messages)$/, chats],
  [/\/responses\/compact$/, healthy()],
  [/\/responses\/[^/]+\/input_items$/, json({ object: 'list', data: [], has_more: false })],
  [
    /\/responses\/[^/]+(\/cancel)?$/,
    (exchange) => json(storedResponse(exchange.path, exchange.method))(exchange),
  ],
  [/\/conversations(\/|$)/, (exchange) => json(conversationAt(exchange.path, exchange.method))(exchange)],
  [/\/v1\/containers(\/|$)/, containers],
  [/\/v1\/(files|batches|messages\/batches)(\/|$)/, exampleBatches.behaviour],
  [/\/v1beta\/(files|cachedContents)(\/|$)/, googleFiles],
  [/\/images\/(generations|edits)$/, images({ usage: imageUsage(10, 0, 20) })],
  [/\/audio\/speech$/, speech(Buffer.alloc(4_096))],
  [/\/audio\/(transcriptions|translations)$/, transcript({ text: 'Hello!' })],
  [/\/rerank$/, json({ model: 'reranker', results: ranks, usage: { total_tokens: 20 } })],
  [/(:(?:batchGenerate|asyncBatchEmbed)Content$|\/v1beta\/batches\/)/, exampleGoogleBatches.behaviour],
  [/:batchEmbedContents$/, json({ embeddings: [vector] })],
  [/:embedContent$/, json({ embedding: vector })],
  [/:predict$/, json({ predictions: [{ mimeType: 'image/png', bytesBase64Encoded: 'iVBORw0KGgo=' }] })],
];

/** An upstream that answers every relay call of the reference. */
export const playEveryCall: Behaviour = (exchange) => {
  const path = exchange.path.split('?', 1)[0] ?? '';
  const found = behaviours.find(([pattern]) => pattern.test(path));
  return (found?.[1] ?? healthy())(exchange);
};
