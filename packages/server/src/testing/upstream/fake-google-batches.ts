import { json } from './fake-upstream-scripts.ts';
import type { fakeGoogleFiles } from './fake-google-files.ts';
import type { Behaviour } from './fake-upstream-scripts.ts';

type Json = Record<string, unknown>;
type Result = { response: Json } | { error: Json };

interface FakeBatch {
  key: string;
  model: string;
  requests: { request: Json; metadata?: Json; key?: string }[];
  /** The file of the requests, if they are in one. */
  input?: string;
  operation: Json & { name: string; metadata: Json };
}

const refusal = (status: number, message: string) =>
  json({ error: { code: status, message, status: 'NOT_FOUND' } }, status);

/** The result of a request that was answered, with these tokens. */
export const answered = (input: number, output: number) => ({
  response: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello!' }] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    },
  },
});

/** The result of a request that was not answered. */
export const failed = { error: { code: 3, message: 'no such thing' } };

/**
 * Google's batches in memory, with requests inside the call, or in a file if there are `files`. They run when a test ends
 * them. Other calls get `others`.
 */
export function fakeGoogleBatches(
  others: Behaviour,
  now: () => number = Date.now,
  { files }: Pick<ReturnType<typeof fakeGoogleFiles>, 'files'> = { files: new Map() },
) {
  const batches = new Map<string, FakeBatch>();
  const time = (): string => new Date(now()).toISOString();

  const create = (key: string, model: string, asked: Json): Json => {
    const { displayName, inputConfig } = asked['batch'] as Json;
    const { requests: inside, fileName } = inputConfig as {
      requests?: { requests: FakeBatch['requests'] };
      fileName?: string;
    };
    const lines = fileName === undefined ? [] : files.get(fileName)!.bytes.toString().split('\n');
    const read = lines.filter(Boolean).map((line) => JSON.parse(line) as FakeBatch['requests'][number]);
    const requests = inside?.requests ?? read;
    const name = `batches/g${batches.size + 1}abc`;
    const operation = {
      name,
      metadata: {
        '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
        name,
        model: `models/${model}`,
        displayName,
        inputConfig,
        createTime: time(),
        updateTime: time(),
        batchStats: { requestCount: String(requests.length), pendingRequestCount: '1' },
        state: 'BATCH_STATE_PENDING',
      },
    };
    batches.set(name, {
      key,
      model,
      requests,
      operation,
      ...(fileName !== undefined && { input: fileName }),
    });
    return operation;
  };

  /** Ends a batch with a result for each request, in this state. */
  const end = (
    name: string,
    resultOf: (request: Json, index: number) => Result,
    state = 'BATCH_STATE_SUCCEEDED',
  ): void => {
    const { operation, requests, input, key: owner } = batches.get(name)!;
    const inlinedResponses = requests.map(({ request, metadata, key }, index) => ({
      ...resultOf(request, index),
      ...(metadata && { metadata }),
      ...(key !== undefined && { key }),
    }));
    const failed = inlinedResponses.filter((each) => 'error' in each).length;
    const inFile = (): Json => {
      const file = `files/${name.replace('/', '-')}`;
      // Results come in any order.
      const lines = inlinedResponses.toReversed().map((each) => `${JSON.stringify(each)}\n`);
      const bytes = Buffer.from(lines.join(''));
      const known = { mimeType: 'application/jsonl', sizeBytes: String(bytes.length), source: 'GENERATED' };
      files.set(file, { key: owner, bytes, object: { name: file, ...known } });
      return { responsesFile: file };
    };
    const output = input === undefined ? { inlinedResponses: { inlinedResponses } } : inFile();
    const batchStats = {
      requestCount: String(requests.length),
      successfulRequestCount: String(requests.length - failed),
      ...(failed > 0 && { failedRequestCount: String(failed) }),
    };
    Object.assign(operation.metadata, { state, endTime: time(), batchStats, output });
    Object.assign(operation, { done: true, response: output });
  };

  const behaviour: Behaviour = async (exchange) => {
    const { pathname } = new URL(exchange.path, 'http://fake');
    const key = String(exchange.headers['x-goog-api-key']);
    const [, model] =
      /\/v1beta\/models\/([^/:]+):(?:batchGenerate|asyncBatchEmbed)Content$/.exec(pathname) ?? [];
    if (model !== undefined) return json(create(key, decodeURIComponent(model), exchange.json()))(exchange);
    const [, name, verb] = /\/v1beta\/(batches\/[^/:]+)(:cancel)?$/.exec(pathname) ?? [];
    if (name === undefined) return others(exchange);
    const found = batches.get(name);
    if (found?.key !== key) return refusal(404, `no such batch: ${name}`)(exchange);
    if (exchange.method === 'DELETE') batches.delete(name);
    const isEmpty = exchange.method === 'DELETE' || verb !== undefined;
    return json(isEmpty ? {} : found.operation)(exchange);
  };
  return { behaviour, batches, end };
}
