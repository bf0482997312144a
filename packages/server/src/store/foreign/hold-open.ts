import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Program that opens the file, prints a line, and runs `then`, in which `db` is the file. */
const program = (file: string, then: string): string => `
  const { DatabaseSync } = require('node:sqlite');
  const db = new DatabaseSync(${JSON.stringify(file)}, { timeout: 10_000 });
  db.prepare('select count(*) from sqlite_master').get();
  process.stdout.write('open');
  setInterval(() => undefined, 1_000);
  ${then}
`;

/** For tests: another process that has a file open, like a running program; the test kills it. */
export async function holdOpen(file: string, then = ''): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', program(file, then)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}
