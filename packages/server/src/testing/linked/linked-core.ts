import { closeCore, type Core, type CoreEdges, openCore } from '../../boot/core.ts';
import type { Env } from '../../boot/env.ts';
import { serveWorker } from '../../boot/workers/serve-worker.ts';
import { openCache } from '../../cache/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { linkedPair } from './linked-pair.ts';

/** A core as a worker has it on SQLite. */
interface LinkedCore {
  core: Core;
  /** That of the first process, which writes the file. */
  first: Core;
  close(): Promise<void>;
}

const node = 'a worker#w1';

/** Opens a core that reads a SQLite file beside one that writes it, in one process, with a link between them that copies. */
export async function openLinkedCore(env: Env, clock?: Clock, edges: CoreEdges = {}): Promise<LinkedCore> {
  const first = await openCore(env, clock, edges);
  const { links } = linkedPair();
  const cache = await openCache({ redisUrl: '', clock: first.clock, onError: () => undefined });
  const leave = await serveWorker(links[0], node, { ...first, cache });
  const core = await openCore(env, clock, { ...edges, node, first: links[1] });
  return {
    core,
    first,
    async close() {
      await closeCore(core);
      await leave();
      await closeCore(first);
    },
  };
}
