import { json } from './fake-upstream-scripts.ts';
import type { Behaviour } from './fake-upstream-scripts.ts';

interface FakeFile {
  /** The key that uploaded it: other keys do not see it. */
  key: string;
  bytes: Buffer;
  object: Record<string, unknown> & { name: string };
}

interface FakeUpload {
  key: string;
  file: Record<string, unknown>;
  bytes: Buffer;
  size: number;
}

const refusal = (status: number, message: string, code = 'INVALID_ARGUMENT') =>
  json({ error: { code: status, message, status: code } }, status);

interface FakeCache {
  key: string;
  object: Record<string, unknown> & { name: string };
}

/**
 * Google's files and cached content in memory: resumable uploads, uploads in parts, `/v1beta/files` and
 * `/v1beta/cachedContents`, in which each content has `tokens`. Other calls get `others`.
 */
export function fakeGoogleFiles(
  others: Behaviour,
  now: () => number = Date.now,
): {
  behaviour: Behaviour;
  files: Map<string, FakeFile>;
  uploads: Map<string, FakeUpload>;
  caches: Map<string, FakeCache>;
  tokens: number;
} {
  const caches = new Map<string, FakeCache>();
  const files = new Map<string, FakeFile>();
  const uploads = new Map<string, FakeUpload>();
  let made = 0;

  const keep = (key: string, asked: Record<string, unknown>, bytes: Buffer): FakeFile['object'] => {
    made += 1;
    const name = typeof asked['name'] === 'string' ? asked['name'] : `files/f${made}-abc`;
    const object = {
      name,
      ...(typeof asked['displayName'] === 'string' && { displayName: asked['displayName'] }),
      mimeType: asked['mimeType'],
      sizeBytes: String(bytes.length),
      createTime: new Date(now()).toISOString(),
      expirationTime: new Date(now() + 48 * 3_600_000).toISOString(),
      uri: `https://generativelanguage.googleapis.com/v1beta/${name}`,
      state: 'PROCESSING',
      source: 'UPLOADED',
    };
    files.set(name, { key, bytes, object });
    return object;
  };

  const start: Behaviour = async (exchange) => {
    const { headers, body } = exchange;
    const key = String(headers['x-goog-api-key']);
    const parsed = JSON.parse(body.toString() || '{}') as { file?: Record<string, unknown> };
    const id = `up${uploads.size + 1}`;
    const file = { mimeType: headers['x-goog-upload-header-content-type'], ...parsed.file };
    const size = Number(headers['x-goog-upload-header-content-length'] ?? Infinity);
    uploads.set(id, { key, file, bytes: Buffer.alloc(0), size });
    exchange.head(200, {
      'content-type': 'text/plain',
      'x-goog-upload-status': 'active',
      'x-goog-upload-chunk-granularity': '262144',
      // As Google does for a key in the query.
      'x-goog-upload-url': `https://upload.invalid/upload/v1beta/files?key=${key}&upload_id=${id}&upload_protocol=resumable`,
    });
    await exchange.end(Buffer.alloc(0));
  };

  const proceed =
    (id: string): Behaviour =>
    async (exchange) => {
      const { headers, body } = exchange;
      const upload = uploads.get(id);
      const commands = String(headers['x-goog-upload-command'])
        .split(',')
        .map((each) => each.trim());
      if (!upload) return refusal(404, 'no such upload', 'NOT_FOUND')(exchange);
      if (commands.includes('cancel')) {
        uploads.delete(id);
        exchange.head(200, { 'x-goog-upload-status': 'cancelled' });
        return exchange.end(Buffer.alloc(0));
      }
      if (commands.includes('upload')) {
        if (Number(headers['x-goog-upload-offset']) !== upload.bytes.length)
          return refusal(400, 'wrong offset')(exchange);
        upload.bytes = Buffer.concat([upload.bytes, body]);
      }
      if (!commands.includes('finalize')) {
        exchange.head(200, {
          'x-goog-upload-status': 'active',
          'x-goog-upload-size-received': String(upload.bytes.length),
        });
        return exchange.end(Buffer.alloc(0));
      }
      uploads.delete(id);
      const file = keep(upload.key, upload.file, upload.bytes);
      exchange.head(200, { 'content-type': 'application/json', 'x-goog-upload-status': 'final' });
      await exchange.end(Buffer.from(JSON.stringify({ file })));
    };

  const related: Behaviour = (exchange) => {
    const [, boundary = ''] = /boundary=([^;]+)/.exec(String(exchange.headers['content-type'])) ?? [];
    const text = exchange.body.toString('latin1');
    const parts = text.split(`--${boundary}`).slice(1, -1);
    const contents = parts.map((part) => part.slice(part.indexOf('\r\n\r\n') + 4, -2));
    const { file } = JSON.parse(contents[0] ?? '{}') as { file?: Record<string, unknown> };
    const kept = keep(
      String(exchange.headers['x-goog-api-key']),
      file ?? {},
      Buffer.from(contents[1] ?? '', 'latin1'),
    );
    return json({ file: kept })(exchange);
  };

  const endIn = ({ ttl, expireTime }: Record<string, unknown>): string =>
    typeof expireTime === 'string'
      ? expireTime
      : new Date(now() + Number.parseFloat(typeof ttl === 'string' ? ttl : '3600s') * 1_000).toISOString();

  const cache =
    (id: string | undefined): Behaviour =>
    (exchange) => {
      const key = String(exchange.headers['x-goog-api-key']);
      const asked = exchange.body.length > 0 ? (exchange.json() as Record<string, unknown>) : {};
      if (id === undefined) {
        const object = {
          name: `cachedContents/c${caches.size + 1}`,
          model: asked['model'],
          createTime: new Date(now()).toISOString(),
          expireTime: endIn(asked),
          usageMetadata: { totalTokenCount: fake.tokens },
        };
        caches.set(object.name, { key, object });
        return json(object)(exchange);
      }
      const found = caches.get(`cachedContents/${id}`);
      if (!found || found.key !== key)
        return refusal(403, 'no such CachedContent', 'PERMISSION_DENIED')(exchange);
      if (exchange.method === 'PATCH') found.object['expireTime'] = endIn(asked);
      if (exchange.method === 'DELETE') caches.delete(found.object.name);
      return json(exchange.method === 'DELETE' ? {} : found.object)(exchange);
    };

  const behaviour: Behaviour = async (exchange) => {
    const { pathname, searchParams } = new URL(exchange.path, 'http://fake');
    if (pathname.endsWith('/upload/v1beta/files')) {
      const id = searchParams.get('upload_id');
      if (id !== null) return proceed(id)(exchange);
      if (exchange.headers['x-goog-upload-protocol'] === 'multipart') return related(exchange);
      return start(exchange);
    }
    const content = /\/v1beta\/cachedContents(?:\/([^/]+))?$/.exec(pathname);
    if (content) return cache(content[1])(exchange);
    const [, name, verb] = /\/v1beta\/(files\/[^/:]+)(:\w+)?$/.exec(pathname) ?? [];
    if (name === undefined) return others(exchange);
    const found = files.get(name);
    if (!found || found.key !== exchange.headers['x-goog-api-key'])
      return refusal(403, `no permission to access the File ${name}`, 'PERMISSION_DENIED')(exchange);
    if (exchange.method === 'DELETE') {
      files.delete(name);
      return json({})(exchange);
    }
    if (verb === ':download') {
      exchange.head(200, { 'content-type': String(found.object['mimeType']) });
      return exchange.end(found.bytes);
    }
    found.object['state'] = 'ACTIVE';
    return json(found.object)(exchange);
  };
  const fake = { behaviour, files, uploads, caches, tokens: 10_000 };
  return fake;
}
