import { json } from './fake-upstream-scripts.ts';
import type { Behaviour } from './fake-upstream-scripts.ts';

interface FakeContainer {
  /** The key that made it: other keys do not see it. */
  key: string;
  object: Record<string, unknown> & { id: string };
  files: Map<string, Record<string, unknown>>;
}

const notFound = json({ error: { message: 'Container not found', type: 'invalid_request_error' } }, 404);

/** OpenAI's `/v1/containers` in memory. Other calls get `others`. */
export function fakeContainers(others: Behaviour): {
  behaviour: Behaviour;
  containers: Map<string, FakeContainer>;
} {
  const containers = new Map<string, FakeContainer>();
  let made = 0;
  const listed = (data: unknown[]): Behaviour => json({ object: 'list', data, has_more: false });
  const behaviour: Behaviour = (exchange) => {
    const [path = ''] = exchange.path.split('?');
    const [, rest] = /\/v1\/containers((?:\/.*)?)$/.exec(path) ?? [];
    if (rest === undefined) return others(exchange);
    const key = String(exchange.headers.authorization);
    const { method } = exchange;
    if (rest === '') {
      if (method !== 'POST') return listed([...containers.values()].map(({ object }) => object))(exchange);
      const { name } = exchange.json();
      if (typeof name !== 'string') return json({ error: { message: 'name is required' } }, 400)(exchange);
      made += 1;
      const object = { id: `cntr_${made}abc`, object: 'container', created_at: 1, name, status: 'running' };
      containers.set(object.id, { key, object, files: new Map() });
      return json(object)(exchange);
    }
    const [, id = '', files, fileId, content] = rest.split('/');
    const container = containers.get(id);
    if (container?.key !== key) return notFound(exchange);
    if (files === undefined) {
      if (method !== 'DELETE') return json(container.object)(exchange);
      containers.delete(id);
      return json({ id, object: 'container.deleted', deleted: true })(exchange);
    }
    if (fileId === undefined) {
      if (method !== 'POST') return listed([...container.files.values()])(exchange);
      const file = {
        id: `cfile_${container.files.size + 1}abc`,
        object: 'container.file',
        container_id: id,
        bytes: exchange.body.length,
        path: '/mnt/data/a.txt',
        source: 'user',
      };
      container.files.set(file.id, file);
      return json(file)(exchange);
    }
    const file = container.files.get(fileId);
    if (!file) return notFound(exchange);
    if (content !== undefined) {
      exchange.head(200, { 'content-type': 'text/html' });
      return exchange.end(Buffer.from('<b>content</b>'));
    }
    if (method === 'DELETE') {
      container.files.delete(fileId);
      return json({ id: fileId, object: 'container.file.deleted', deleted: true })(exchange);
    }
    return json(file)(exchange);
  };
  return { behaviour, containers };
}
