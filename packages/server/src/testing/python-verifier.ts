import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The second verifier of signed receipts, which shares no code with ours. */
const script = join(import.meta.dirname, '../../../../e2e/clients/python/verify_receipts.py');

/** True if there is a Python to run it. */
export const hasPython = spawnSync('python3', ['--version']).status === 0;

/** What it says about a file. */
export interface SecondOpinion {
  month: boolean;
  problems: string[];
}

/** Checks files with the keys of a site; the opinions are in the order of the files. */
export function verifyInPython(keys: string, files: readonly string[]): SecondOpinion[] {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-receipts-'));
  try {
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const names = files.map((text, index) => write(`${index}.jsonl`, text));
    const { stdout, stderr } = spawnSync('python3', [script, write('keys.json', keys), ...names], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as SecondOpinion[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
