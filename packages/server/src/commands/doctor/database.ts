import { product } from '@tollgate/contract';
import { checkBooks } from '../../services/money/ledger/index.ts';
import { changeMarks, findDamage, schemaState, type Store, unsafeSettings } from '../../store/index.ts';
import { type Line, note, ok, errorMessage, wrong } from './line.ts';

const maxShown = 10;

/** Checks the database: integrity, schema version, write access, and its books. */
export async function checkDatabase(
  store: Store,
  nowMs: number,
): Promise<{ lines: Line[]; isReadable: boolean }> {
  const unread = (...lines: Line[]) => ({ lines, isReadable: false });
  const damage = store.sqlite ? findDamage(store.sqlite.path) : [];
  if (damage.length > 0)
    return unread(...damage.slice(0, maxShown).map((each) => wrong(`the database is damaged: ${each}`)));
  const state = await schemaState(store);
  if (state === 'empty') return unread(note(`the database is empty: start ${product.name} once`));
  if (state === 'foreign')
    return unread(wrong(`the database holds tables of another program: give ${product.name} one of its own`));
  if (state === 'newer')
    return unread(wrong(`the database is of a newer ${product.name}: start that version`));
  if (state === 'older')
    return unread(note(`the database is of an older ${product.name}: the next start brings it up to date`));
  const whole = ok(`the database (${store.kind}) is whole and of this version`);
  const lines = [
    whole,
    ...(await checkSettings(store)),
    await checkWrites(store, nowMs),
    ...(await checkLedger(store)),
  ];
  return { lines, isReadable: true };
}

async function checkSettings(store: Store): Promise<Line[]> {
  const found = await unsafeSettings(store);
  return found.map((each) =>
    wrong(`the database server has ${each}: a crash can lose charges that it has confirmed`),
  );
}

async function checkWrites(store: Store, nowMs: number): Promise<Line> {
  try {
    await changeMarks.proveWritable(store.db, Math.floor(nowMs / 1000));
    return ok('the database takes writes');
  } catch (error) {
    return wrong(`the database takes no write: ${errorMessage(error)}`);
  }
}

async function checkLedger(store: Store): Promise<Line[]> {
  const findings = await checkBooks(store.db);
  if (findings.length === 0) return [ok('the books agree, entry by entry')];
  const shown = findings.slice(0, maxShown).map(({ invariant, detail }) => wrong(`${invariant}: ${detail}`));
  const rest = findings.length - shown.length;
  return rest > 0 ? [...shown, wrong(`and ${rest} more like these`)] : shown;
}
