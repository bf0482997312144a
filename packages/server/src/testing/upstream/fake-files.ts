import { json } from './fake-upstream-scripts.ts';
import type { Behaviour } from './fake-upstream-scripts.ts';

interface FakeFile {
  /** The key that uploaded it: other keys do not see it. */
  key: string;
  bytes: Buffer;
  type: string;
  object: Record<string, unknown> & { id: string };
}

/**
 * Files in memory: OpenAI's `/v1/files`, also with another prefix, and Anthropic's for requests with its headers. Other calls
 * get `others`.
 */
export function fakeFiles(
  others: Behaviour,
  now: () => number = Date.now,
): {
  behaviour: Behaviour;
  files: Map<string, FakeFile>;
} {
  const files = new Map<string, FakeFile>();
  let uploads = 0;
  const behaviour: Behaviour = async (exchange) => {
    const [, behind] = /\/v1\/files(\/[^?]*)?(?:\?.*)?$/.exec(exchange.path) ?? [undefined, undefined];
    if (!/\/v1\/files/.test(exchange.path)) return others(exchange);
    const { authorization, 'api-key': azureKey, 'x-api-key': anthropicKey } = exchange.headers;
    const key = String(authorization ?? azureKey ?? anthropicKey);
    const isAnthropic = anthropicKey !== undefined && exchange.headers['anthropic-version'] !== undefined;
    if (exchange.method === 'POST') {
      const type = String(exchange.headers['content-type']);
      const form = await new Response(new Uint8Array(exchange.body), {
        headers: { 'content-type': type },
      }).formData();
      const file = form.get('file') as File;
      uploads += 1;
      const after = Number(form.get('expires_after[seconds]') ?? 0);
      const created = Math.floor(now() / 1_000);
      const lives = Number(form.get('expires_in_seconds') ?? 0);
      const claude = {
        id: `file_${uploads}Abc`,
        type: 'file',
        size_bytes: file.size,
        created_at: new Date(now()).toISOString(),
        expires_at: lives > 0 ? new Date(now() + lives * 1_000).toISOString() : null,
        filename: file.name,
        mime_type: file.type,
        downloadable: false,
      };
      const openai = {
        id: `file-${uploads}Abc`,
        object: 'file',
        bytes: file.size,
        created_at: created,
        ...(after > 0 && { expires_at: created + after }),
        filename: file.name,
        purpose: form.get('purpose') as string,
        status: 'processed',
      };
      const object = isAnthropic ? claude : openai;
      files.set(object.id, { key, bytes: Buffer.from(await file.arrayBuffer()), type: file.type, object });
      return json(object)(exchange);
    }
    const [, id = '', content] = behind?.split('/') ?? [];
    const found = files.get(decodeURIComponent(id));
    if (found?.key !== key) {
      if (isAnthropic)
        return json(
          { type: 'error', error: { type: 'not_found_error', message: `File not found: ${id}` } },
          404,
        )(exchange);
      const error = {
        message: `No such File object: ${id}`,
        type: 'invalid_request_error',
        param: 'id',
        code: null,
      };
      return json({ error }, 404)(exchange);
    }
    if (exchange.method === 'DELETE') {
      files.delete(id);
      return json(isAnthropic ? { id, type: 'file_deleted' } : { id, object: 'file', deleted: true })(
        exchange,
      );
    }
    if (content === undefined) return json(found.object)(exchange);
    exchange.head(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${String(found.object['filename'])}"`,
    });
    await exchange.end(found.bytes);
  };
  return { behaviour, files };
}
