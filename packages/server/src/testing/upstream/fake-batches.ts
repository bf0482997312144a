import { fakeFiles } from './fake-files.ts';
import { json } from './fake-upstream-scripts.ts';
import type { Behaviour } from './fake-upstream-scripts.ts';

type Json = Record<string, unknown>;

/** An item as the vendor got it, and what it makes of it. */
interface FakeItem {
  name: string;
  /** The call's body. */
  body: Json;
}
type Answer = { answer: Json } | 'fails' | 'expires';

interface FakeBatch {
  key: string;
  object: Json & { id: string };
  items: FakeItem[];
  /** Lines of Anthropic's results. */
  lines: string[];
}

const counts = (results: readonly Answer[]) => ({
  answered: results.filter((result) => typeof result === 'object').length,
  failed: results.filter((result) => result === 'fails').length,
  expired: results.filter((result) => result === 'expires').length,
});

/**
 * Batches in memory, with files: OpenAI's `/v1/batches`, also with another prefix, and Anthropic's `/v1/messages/batches`.
 * They run when a test ends them. Other calls get `others`.
 */
export function fakeBatches(others: Behaviour, now: () => number = Date.now) {
  const { behaviour: files, files: kept } = fakeFiles(others, now);
  const batches = new Map<string, FakeBatch>();
  const seconds = (): number => Math.floor(now() / 1_000);
  let made = 0;

  const keyOf = ({ authorization, 'api-key': azure, 'x-api-key': anthropic }: Json): string =>
    String(authorization ?? azure ?? anthropic);

  const write = (key: string, purpose: string, lines: readonly string[]): string | null => {
    if (lines.length === 0) return null;
    made += 1;
    const id = `file-out${made}Abc`;
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    const object = {
      id,
      object: 'file',
      bytes: bytes.length,
      created_at: seconds(),
      filename: `${id}.jsonl`,
      purpose,
      status: 'processed',
    };
    kept.set(id, { key, bytes, type: 'application/jsonl', object });
    return id;
  };

  /** Begins a batch: its object tells of progress. */
  const begin = (id: string, completed = 0): void => {
    const { object, items } = batches.get(id)!;
    if ('processing_status' in object) return;
    Object.assign(object, {
      status: 'in_progress',
      in_progress_at: seconds(),
      request_counts: { total: items.length, completed, failed: 0 },
    });
  };

  /** Ends a batch with a result for each item. */
  const end = (id: string, answerOf: (item: FakeItem, index: number) => Answer): void => {
    const batch = batches.get(id)!;
    const { object, items, key } = batch;
    const results = items.map(answerOf);
    const { answered, failed, expired } = counts(results);
    if ('processing_status' in object) {
      batch.lines = results.map((result, index) =>
        JSON.stringify({ custom_id: items[index]!.name, result: claudeResult(result) }),
      );
      const numbers = { processing: 0, succeeded: answered, errored: failed, canceled: 0, expired };
      const url = `https://api.anthropic.com/v1/messages/batches/${id}/results`;
      const ended = { processing_status: 'ended', ended_at: new Date(now()).toISOString(), results_url: url };
      Object.assign(object, { ...ended, request_counts: numbers });
      return;
    }
    const output: string[] = [];
    const errors: string[] = [];
    for (const [index, result] of results.entries()) {
      const line = { id: `batch_req_${index}`, custom_id: items[index]!.name };
      if (typeof result === 'object') output.push(openaiLine(line, 200, result.answer));
      else if (result === 'fails')
        errors.push(openaiLine(line, 400, { error: { message: 'no', type: 'invalid_request_error' } }));
      else
        errors.push(
          JSON.stringify({
            ...line,
            response: null,
            error: { code: 'batch_expired', message: 'This request could not be executed in time.' },
          }),
        );
    }
    const word = object['status'] === 'cancelling' ? 'cancelled' : expired > 0 ? 'expired' : 'completed';
    Object.assign(object, {
      status: word,
      [`${word}_at`]: seconds(),
      request_counts: { total: items.length, completed: answered, failed: failed + expired },
      output_file_id: write(key, 'batch_output', output),
      error_file_id: write(key, 'batch_output', errors),
    });
  };

  const createOpenai = (key: string, asked: Json): Json | undefined => {
    const file = kept.get(String(asked['input_file_id']));
    if (file?.key !== key || asked['completion_window'] !== '24h') return undefined;
    const items = file.bytes
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((text) => {
        const line = JSON.parse(text) as Json;
        if (line['url'] !== asked['endpoint'] || line['method'] !== 'POST')
          throw new Error(`a bad line: ${text}`);
        return { name: String(line['custom_id']), body: line['body'] as Json };
      });
    made += 1;
    const object = {
      id: `batch_${made}abc`,
      object: 'batch',
      endpoint: asked['endpoint'],
      errors: null,
      input_file_id: asked['input_file_id'],
      completion_window: '24h',
      status: 'validating',
      output_file_id: null,
      error_file_id: null,
      created_at: seconds(),
      expires_at: seconds() + 86_400,
      request_counts: { total: 0, completed: 0, failed: 0 },
      metadata: asked['metadata'] ?? null,
    };
    batches.set(object.id, { key, object, items, lines: [] });
    return object;
  };

  const createAnthropic = (key: string, { requests }: Json): Json => {
    const items = (requests as { custom_id: string; params: Json }[]).map(({ custom_id: name, params }) => ({
      name,
      body: params,
    }));
    made += 1;
    const object = {
      id: `msgbatch_${made}abc`,
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { processing: items.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      ended_at: null,
      created_at: new Date(now()).toISOString(),
      expires_at: new Date(now() + 86_400_000).toISOString(),
      archived_at: null,
      cancel_initiated_at: null,
      results_url: null,
    };
    batches.set(object.id, { key, object, items, lines: [] });
    return object;
  };

  const behaviour: Behaviour = async (exchange) => {
    const [, messages, id, rest = ''] =
      /\/v1\/(messages\/)?batches(?:\/([^/?]+))?(\/\w+)?(?:\?.*)?$/.exec(exchange.path) ?? [];
    if (!/\/v1\/(?:messages\/)?batches/.test(exchange.path)) return files(exchange);
    const key = keyOf(exchange.headers);
    const isClaude = messages !== undefined;
    const refuse = (status: number): Promise<void> | void => {
      const type = isClaude ? 'not_found_error' : 'invalid_request_error';
      return json(
        { ...(isClaude && { type: 'error' }), error: { type, message: 'No such batch' } },
        status,
      )(exchange);
    };
    if (isClaude && exchange.headers['anthropic-version'] === undefined) return refuse(400);
    if (exchange.method === 'POST' && id === undefined) {
      const object = isClaude ? createAnthropic(key, exchange.json()) : createOpenai(key, exchange.json());
      return object ? json(object)(exchange) : refuse(400);
    }
    const batch = id === undefined ? undefined : batches.get(id);
    if (batch?.key !== key) return refuse(404);
    if (exchange.method === 'DELETE') {
      batches.delete(batch.object.id);
      return json({ id, type: 'message_batch_deleted' })(exchange);
    }
    if (rest === '/cancel') {
      if (isClaude) Object.assign(batch.object, { processing_status: 'canceling' });
      else Object.assign(batch.object, { status: 'cancelling', cancelling_at: seconds() });
    }
    if (rest === '/results') {
      exchange.head(200, { 'content-type': 'application/x-jsonl' });
      return exchange.end(`${batch.lines.join('\n')}\n`);
    }
    return json(batch.object)(exchange);
  };
  return { behaviour, batches, files: kept, begin, end };
}

const openaiLine = (line: Json, status: number, body: Json): string =>
  JSON.stringify({ ...line, response: { status_code: status, request_id: 'req_1', body }, error: null });

const claudeResult = (result: Answer): Json => {
  if (typeof result === 'object') return { type: 'succeeded', message: result.answer };
  if (result === 'expires') return { type: 'expired' };
  return {
    type: 'errored',
    error: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } },
  };
};
