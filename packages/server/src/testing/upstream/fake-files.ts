import { json } from './fake-upstream-scripts.ts';
import type { Behaviour } from './fake-upstream-scripts.ts';

interface FakeFile {
  /** The key that uploaded it: other keys do not see it. */
  key: string;
  bytes: Buffer;
  type: string;
  object: Record<string, unknown> & { id: string };
}

/** OpenAI's files in memory: `/v1/files`, also with another prefix. Other calls get `others`. */
export function fakeFiles(
  others: Behaviour,
  now: () => number = Date.now,
): {
  behaviour: Behaviour;
  files: Map<string, FakeFile>;
} {
  const files = new Map<string, FakeFile>();
  const behaviour: Behaviour = async (exchange) => {
    const [, behind] = /\/v1\/files(\/[^?]*)?(?:\?.*)?$/.exec(exchange.path) ?? [undefined, undefined];
    if (!/\/v1\/files/.test(exchange.path)) return others(exchange);
    const key = String(exchange.headers['authorization'] ?? exchange.headers['api-key']);
    if (exchange.method === 'POST') {
      const type = String(exchange.headers['content-type']);
      const form = await new Response(new Uint8Array(exchange.body), {
        headers: { 'content-type': type },
      }).formData();
      const file = form.get('file') as File;
      const after = Number(form.get('expires_after[seconds]') ?? 0);
      const created = Math.floor(now() / 1_000);
      const object = {
        id: `file-${files.size + 1}Abc`,
        object: 'file',
        bytes: file.size,
        created_at: created,
        ...(after > 0 && { expires_at: created + after }),
        filename: file.name,
        purpose: String(form.get('purpose')),
        status: 'processed',
      };
      files.set(object.id, { key, bytes: Buffer.from(await file.arrayBuffer()), type: file.type, object });
      return json(object)(exchange);
    }
    const [, id = '', content] = behind?.split('/') ?? [];
    const found = files.get(decodeURIComponent(id));
    if (found?.key !== key) {
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
      return json({ id, object: 'file', deleted: true })(exchange);
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
