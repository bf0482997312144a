import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const source = join(import.meta.dirname, '..', 'c');

/** The upstream and the load generator as programs. */
export interface Tools {
  upstream: string;
  load: string;
}

/** Compiles the two C programs into `folder` (under a second). If that fails, throws an error that names what to install. */
export function buildTools(folder: string): Tools {
  const compiler = process.env['CC'] ?? 'cc';
  if (spawnSync(compiler, ['--version']).status !== 0) {
    throw new Error(
      'The bench needs a C compiler for its upstream and its load generator (Debian: apt-get install gcc libc6-dev).',
    );
  }
  const compile = (name: string) => {
    const output = join(folder, name);
    const args = ['-O2', '-o', output, join(source, `${name}.c`), join(source, 'common.c')];
    const done = spawnSync(compiler, args, { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`${compiler} ${args.join(' ')}\n${done.stderr}`);
    return output;
  };
  return { upstream: compile('upstream'), load: compile('load') };
}
