import cluster from 'node:cluster';
import { flushCompileCache } from 'node:module';
import { product } from '@tollgate/contract/product';
import { readFlags } from './flags.ts';
import { Stops } from './stops.ts';

/** One clear line and the end: what is wrong with the start is the operator's to mend, not a stack to read. */
function refuseToStart(error: unknown): never {
  process.stderr.write(
    `${product.name} cannot start: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
}

/**
 * All else is loaded behind the signals: loading takes the longest part of a start. Then what Node compiled is written where
 * it is kept, also for a process that will be killed, and Node drops its copy of what it read.
 */
async function main(): Promise<void> {
  if (cluster.isWorker) {
    const { runWorker } = await import('./boot/workers/index.ts');
    flushCompileCache();
    runWorker();
    return;
  }
  const asked = readFlags(process.argv.slice(2));
  if ('print' in asked) return void process.stdout.write(asked.print);
  const stops = new Stops();
  const { start } = await import('./start.ts');
  flushCompileCache();
  await start(stops, asked);
}

main().catch(refuseToStart);
