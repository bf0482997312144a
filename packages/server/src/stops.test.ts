import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

const file = new URL('stops.ts', import.meta.url).href;

/** A process that takes one and a half seconds to stop, as one with running calls does; answers its exit code. */
async function codeAfter(pausesMs: readonly number[]): Promise<number> {
  const words = `import { Stops } from '${file}'; const stops = new Stops(); stops.opening();
    stops.does(() => setTimeout(() => process.exit(0), 1_500)); setInterval(() => {}, 1_000); console.log('here')`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', words]);
  await once(child.stdout, 'data');
  const ended = once(child, 'exit') as Promise<[number]>;
  for (const pause of pausesMs) {
    await sleep(pause);
    child.kill('SIGINT');
  }
  return (await ended)[0];
}

describe('a stop that is asked for again', () => {
  it('waits for running calls where one Ctrl-C came by several ways, and not where somebody presses it again', async () => {
    const codes = await Promise.all([codeAfter([0, 20, 20]), codeAfter([0, 1_100])]);
    expect(codes).toEqual([0, 130]);
  });
});
