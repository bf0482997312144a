// How a program of ours starts another Node. Plain JavaScript that also runs on old ones, for the door of the npm scripts
// and for the command of a release.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The Node that the server needs, at least. */
const oldestNode = 24;

/** The Node that came with the packages if it runs here (it does not on musl), else the one we run on. Else the end. */
export function findNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  try {
    const place = createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/package.json`);
    const packaged = join(dirname(place), 'bin', system === 'win' ? 'node.exe' : 'node');
    if (spawnSync(packaged, ['-v']).status === 0) return packaged;
  } catch {
    // None was installed for this system.
  }
  if (Number(process.versions.node.split('.')[0]) >= oldestNode) return process.execPath;
  console.error(
    `This needs Node ${oldestNode} or newer; this is ${process.version} and no packaged one runs on this system. ` +
      `Install Node ${oldestNode} (https://nodejs.org/en/download) and try again.`,
  );
  return process.exit(1);
}

/**
 * Becomes another program, where this Node can (from 22.15 on, not on Windows): a launcher that waits for it takes 45 MB.
 * Else it runs beside this one, which passes signals on and ends as it ends. Sockets of a supervisor do not pass.
 */
export function become(node, args, env) {
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...args], env);
  const child = spawn(node, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}
