import { product, role } from '@tollgate/contract';
import { type Db, ledger, movedIn } from '../../store/index.ts';
import { programs, type Source } from './kit/detect.ts';
import type { Taken } from './kit/ids.ts';
import { ImportRefused } from './kit/report.ts';

/** The name of an import in the ledger; the names of its entries begin with it. */
export const importName = ({ program }: Pick<Source, 'program'>): string => `import:${program}`;

/** Note of an import: the state of the source, and the former state of the target. */
interface Mark {
  fingerprint: string;
  taken: Taken;
}

/**
 * The former state, and whether exactly this import was made. Throws if there are accounts other than root, or another
 * import: their rows could not be distinguished from the new ones.
 */
export async function inspectTarget(
  db: Db,
  source: Source,
  fingerprint: string,
): Promise<{ taken: Taken; isDone: boolean }> {
  for (const program of programs) {
    const entry = await ledger.findByTxn(db, importName({ program }));
    if (!entry) continue;
    const mark = JSON.parse(entry.note) as Mark;
    if (program === source.program && mark.fingerprint === fingerprint)
      return { taken: mark.taken, isDone: true };
    const at = new Date(entry.at * 1000).toISOString();
    throw new ImportRefused(
      `${product.name} holds an import from ${program} of ${at}, when the source had other users or balances: import into an empty database instead`,
    );
  }
  const [first, second] = await movedIn.firstUsers(db);
  if (second || (first && first.role < role.root))
    throw new ImportRefused(
      `${product.name} has users already: import into an empty database, or one in which only root was set up`,
    );
  const taken = {
    root: first ? { id: first.id, accountId: first.account_id, username: first.username } : null,
    last: {
      account: await movedIn.lastId(db, 'accounts'),
      token: await movedIn.lastId(db, 'tokens'),
      channel: await movedIn.lastId(db, 'channels'),
      redemption: await movedIn.lastId(db, 'redemptions'),
    },
  };
  return { taken, isDone: false };
}

/** The note of an import's own entry. */
export const markOf = (mark: Mark): string => JSON.stringify(mark);
