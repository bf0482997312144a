import { statSync } from 'node:fs';
import { join } from 'node:path';
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

/**
 * Names that a build gives its files: no leading dots, no escapes, so that nothing outside the folder has such a name.
 */
const plainPath = /^(?:\/[\w-][\w.-]*)+$/;

/**
 * Whether the build has a file at this path. Looked up on disk each time rather than listed at start: the console may
 * be built anew below a running server, and its pages then need the new files. It is one look per page and file,
 * since browsers keep what carries a hash.
 */
const hasFile = (root: string, path: string): boolean =>
  plainPath.test(path) && (statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false);

/**
 * Serves the built console from `root`; `.br` and `.gz` neighbours are sent to browsers that take them. Names below
 * /assets carry a hash of their content and may be kept for ever; everything else is asked for again.
 */
export async function registerWebFiles(app: FastifyInstance, root: string): Promise<WebFiles> {
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
      if (path === '/index.html' || !hasFile(root, path)) return false;
      send(reply, path);
      return true;
    },
    sendPage(reply) {
      if (hasFile(root, '/index.html')) return send(reply, '/index.html');
      void reply
        .code(503)
        .header('cache-control', 'no-store')
        .type('text/plain; charset=utf-8')
        .send(missingPage);
    },
  };
}
