import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The built console on disk. */
export interface WebFiles {
  /** Sends the file at `path` when the build has it, else answers false. */
  sendFile(reply: FastifyReply, path: string): boolean;
  /** Sends the page that every address of the console begins with. */
  sendPage(reply: FastifyReply): void;
}

const missingPage =
  'The console is not built yet. Run "npm run build", or use the API alone: the gateway itself is running.';

function listFiles(root: string): Set<string> {
  if (!existsSync(root)) return new Set();
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Set(
    entries.map((entry) => `/${relative(root, join(entry.parentPath, entry.name)).split(sep).join('/')}`),
  );
}

/**
 * Serves the built console from `root`. Only files that were there at start are served, so no address can reach
 * anything else; `.br` and `.gz` neighbours are sent to browsers that take them. Names below /assets carry a hash of
 * their content and may be kept for ever; everything else is asked for again.
 */
export async function registerWebFiles(app: FastifyInstance, root: string): Promise<WebFiles> {
  const files = listFiles(root);
  await app.register(fastifyStatic, {
    root,
    serve: false,
    index: false,
    cacheControl: false,
    preCompressed: true,
    suppressWarning: true,
  });
  const send = (reply: FastifyReply, path: string): void => {
    const lasting = path.startsWith('/assets/');
    reply.header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
    void reply.sendFile(path.slice(1));
  };
  return {
    sendFile(reply, path) {
      if (!files.has(path) || path === '/index.html') return false;
      send(reply, path);
      return true;
    },
    sendPage(reply) {
      if (files.has('/index.html')) return send(reply, '/index.html');
      void reply
        .code(503)
        .header('cache-control', 'no-store')
        .type('text/plain; charset=utf-8')
        .send(missingPage);
    },
  };
}
