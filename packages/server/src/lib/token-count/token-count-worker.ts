// The thread that counts tokens: the only place that loads the vocabularies.
import { parentPort } from 'node:worker_threads';
import { collectStartGarbage } from '../processes/collect-garbage.ts';
import { countPieces, type Tokenizer } from './count-pieces.ts';
import type { CountAnswer, CountRequest, Encoding } from './token-counter.ts';

/** Pieces cached by the tokenizer; its default of 100,000 would keep users' texts indefinitely. */
const mergeCacheSize = 10_000;

const loaded = new Map<Encoding, Promise<Tokenizer>>();

function load(encoding: Encoding): Promise<Tokenizer> {
  const known = loaded.get(encoding);
  if (known) return known;
  const fresh = loadTokenizer(encoding);
  loaded.set(encoding, fresh);
  return fresh;
}

async function loadTokenizer(encoding: Encoding): Promise<Tokenizer> {
  const tokenizer =
    encoding === 'o200k'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  tokenizer.setMergeCacheSize(mergeCacheSize);
  // A vocabulary is read from a source of several megabytes, half of the thread's heap.
  collectStartGarbage(() => false);
  return tokenizer;
}

async function answer({ id, texts, encoding }: CountRequest): Promise<CountAnswer> {
  try {
    const tokenizer = await load(encoding);
    let tokens = 0;
    for (const text of texts) tokens += await countPieces(tokenizer, text);
    return { id, tokens };
  } catch (error) {
    return { id, message: error instanceof Error ? error.message : String(error) };
  }
}

let answers: CountAnswer[] = [];

/** Results of one turn are sent in one message. */
function send(answer: CountAnswer): void {
  if (answers.push(answer) > 1) return;
  setImmediate(() => {
    parentPort?.postMessage(answers);
    answers = [];
  });
}

parentPort?.on('message', (requests: CountRequest[]) => {
  for (const request of requests) void answer(request).then(send);
});
