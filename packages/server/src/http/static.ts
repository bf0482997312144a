import { statSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The built console on disk. */
export interface WebFiles {
  /** Sends the file at `path` if the build has it; otherwise returns false. */
  sendFile(reply: FastifyReply, path: string): boolean;
  /** Sends the HTML page of all console addresses. */
  sendPage(reply: FastifyReply): void;
}

const missingPage =
  'The console is not built yet. Run "npm run build", or use the API alone: the gateway itself is running.';

/** File names of a build: no leading dots, no escapes, so that no file outside the folder matches. */
const plainPath = /^(?:\/[\w-][\w.-]*)+$/;

/**
 * True if the build has a file at this path. Checked on disk each time rather than listed at the start: the console may
 * be rebuilt while the server runs, and its pages then need the new files. This is one check per page and file, since
 * browsers cache files with a hash.
 */
const hasFile = (root: string, path: string): boolean =>
  plainPath.test(path) && (statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false);

/**
 * Serves the built console from `root`; `.br` and `.gz` versions are sent to browsers that accept them. Names below
 * /assets contain a hash of their content and may be cached for ever; everything else is revalidated.
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
