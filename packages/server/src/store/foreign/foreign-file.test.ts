import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { removeLeftCopies } from './foreign-file.ts';
import { readForeign } from './foreign.ts';
import { holdOpen } from './hold-open.ts';

const root = mkdtempSync(join(tmpdir(), 'tollgate-foreign-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A file with 1,000 units spread over two tables. */
function fileIn(mode: string, name: string): string {
  const file = join(root, `${mode}-${name}.db`);
  const db = new DatabaseSync(file);
  db.exec(`pragma journal_mode = ${mode}`);
  for (const table of ['users', 'codes'])
    db.exec(`create table ${table} (id integer primary key, quota integer);
      insert into ${table} values (1, 500)`);
  db.close();
  return file;
}

/** Total of both tables, read one after the other, and whether the file is in use. */
const unitsIn = (file: string): Promise<{ units: number; isInUse: boolean }> =>
  readForeign(file, async (foreign) => {
    let units = 0;
    for (const table of ['users', 'codes'])
      for (const { quota } of await foreign.all(table, ['quota'])) units += Number(quota);
    return { units, isInUse: await foreign.isInUse() };
  });

/** Moves units in both directions a few hundred times a second. */
const mover = `
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let n = 1; ; n = -n, Atomics.wait(pause, 0, 0, 3))
    db.exec('begin immediate; update users set quota = quota - ' + n + '; update codes set quota = quota + ' + n + '; commit');
`;
/** Leaves a partly written transaction on disk, then kills the process. */
const unfinished = `
  db.exec('pragma cache_spill = 1; pragma cache_size = 1; begin immediate; update users set quota = 9');
  db.exec('create table filler (x); insert into filler with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select randomblob(100) from n');
  process.kill(process.pid, 'SIGKILL');
`;

/** Reads the file in another process, until that is killed. */
async function startReading(file: string): Promise<ChildProcess> {
  const reader = pathToFileURL(join(import.meta.dirname, 'foreign.ts')).href;
  const program = `const { readForeign } = await import(${JSON.stringify(reader)});
    await readForeign(${JSON.stringify(file)}, () => new Promise(() => {
      setInterval(() => undefined, 1_000);
      process.stdout.write('open');
    }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

it('a copy goes with its reader, and at the latest when another is made, if the reader was killed', async () => {
  const folder = join(root, 'temporary');
  mkdirSync(folder);
  vi.stubEnv('TMPDIR', folder);
  try {
    const file = fileIn('delete', 'copied');
    const other = await holdOpen(file, unfinished);
    if (other.exitCode === null && other.signalCode === null) await once(other, 'exit');
    const [killed, alive] = [await startReading(file), await startReading(file)];
    expect(readdirSync(folder)).toHaveLength(2);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(readdirSync(folder)).toHaveLength(2);
    expect(await unitsIn(file)).toMatchObject({ units: 1_000 });
    expect(readdirSync(folder)).toEqual([expect.stringContaining(`-${alive.pid}-`)]);
    alive.kill('SIGKILL');
    await once(alive, 'exit');
    removeLeftCopies();
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
  }
});

describe.for(['delete', 'wal'])("another program's file with the journal %s", (mode) => {
  it('is in use while another process has it open, with and without traffic', async () => {
    const file = fileIn(mode, 'open');
    expect(await unitsIn(file)).toEqual({ units: 1_000, isInUse: false });
    for (const then of ['', mover]) {
      const other = await holdOpen(file, then);
      for (let round = 0; round < 20; round += 1)
        expect(await unitsIn(file)).toEqual({ units: 1_000, isInUse: true });
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
    expect(await unitsIn(file)).toEqual({ units: 1_000, isInUse: false });
  });

  it('cannot be written while it is read', async () => {
    const file = fileIn(mode, 'locked');
    await readForeign(file, async () => {
      const other = new DatabaseSync(file, { timeout: 0 });
      expect(() => other.exec('update users set quota = 1')).toThrow('locked');
      other.close();
    });
  });

  it('is read in its last whole state after its program was killed, and not changed', async () => {
    const file = fileIn(mode, 'killed');
    const other = await holdOpen(file, unfinished);
    if (other.exitCode === null && other.signalCode === null) await once(other, 'exit');
    const beside = readdirSync(root);
    const before = readFileSync(file);
    expect(await unitsIn(file)).toEqual({ units: 1_000, isInUse: false });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(root)).toEqual(beside);
  });

  it('is refused when it is damaged', async () => {
    const file = fileIn(mode, 'damaged');
    const bytes = readFileSync(file);
    writeFileSync(
      file,
      Buffer.concat([bytes.subarray(0, 4_096), Buffer.alloc(4_096, 7), bytes.subarray(8_192)]),
    );
    await expect(unitsIn(file)).rejects.toThrow('the file is damaged');
  });
});
