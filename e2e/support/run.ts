import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkedBills } from './bills.ts';

const folder = mkdtempSync(join(tmpdir(), 'bills-'));
const file = join(folder, 'checked');

/** Before all journeys: creates the file in which their sites record recomputed charges. */
export function setup(): void {
  writeFileSync(file, '');
  process.env.BILLS_FILE = file;
}

/** After all journeys (`npm test`): at least one charge must have been recomputed. */
export function teardown(): void {
  const bills = checkedBills(file);
  rmSync(folder, { recursive: true, force: true });
  if (bills === 0 && process.env.ALL_JOURNEYS)
    throw new Error('no journey produced a bill: nothing was computed again');
  console.log(`bills computed again from their log rows: ${bills}, all to the unit`);
}
