import { spawn } from 'node:child_process';
import { once } from 'node:events';

const program = `
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(process.argv[1], { timeout: 10_000 });
  db.exec('begin immediate');
  process.stdout.write('locked');
  process.stdin.once('data', () => { db.exec('commit'); process.exit(0); });
`;

/** Holds the write lock of a SQLite file in another process. Resolves to a function that releases the lock. */
export async function lockSqlite(path: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  if (child.exitCode !== null) throw new Error('the other process could not lock the file');
  return async () => {
    child.stdin.write('end');
    await exited;
  };
}
