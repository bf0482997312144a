// Starts another Node from one of our programs. Plain JavaScript that also runs on old versions, for the entry of the npm
// scripts and for the command of a release.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The oldest Node version that the server supports. */
const oldestNode = 24;

/** The installed Node package if it runs here (it does not on musl), otherwise the current Node; exits if that is too old. */
export function findNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  try {
    const place = createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/package.json`);
    const packaged = join(dirname(place), 'bin', system === 'win' ? 'node.exe' : 'node');
    if (spawnSync(packaged, ['-v']).status === 0) return packaged;
  } catch {
    // No package is installed for this system.
  }
  if (Number(process.versions.node.split('.')[0]) >= oldestNode) return process.execPath;
  console.error(
    `This needs Node ${oldestNode} or newer; this is ${process.version} and no packaged one runs on this system. ` +
      `Install Node ${oldestNode} (https://nodejs.org/en/download) and try again.`,
  );
  return process.exit(1);
}

/**
 * Replaces this process with another program, if Node can (from 22.15 on, not on Windows): a waiting launcher takes 45 MB.
 * Otherwise the program runs as a child; signals and exit codes are passed on. Sockets of a supervisor are not passed on.
 */
export function become(node, args, env) {
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...args], env);
  const child = spawn(node, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}
