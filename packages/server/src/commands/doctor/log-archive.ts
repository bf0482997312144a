import { archiveMissing } from '../../services/upkeep/logs/index.ts';
import { archivedUpTo, logChanges, logMoves, schemaState, type Store } from '../../store/index.ts';
import { type Line, note, ok, errorMessage, wrong } from './line.ts';

/** Rows move some minutes after they were written; older ones (s) that are still here wait for something. */
const lateAfter = 15 * 60;

/** Whether the database of LOG_SQL_DSN answers, and whether rows of the log wait for it. */
export async function checkLogArchive({ db, archive }: Store, nowMs: number): Promise<Line[]> {
  const cut = await archivedUpTo(db);
  if (!archive) return cut > 0 ? [wrong(archiveMissing)] : [];
  const waiting = await logMoves.countWaiting(db, cut, Math.floor(nowMs / 1000) - lateAfter);
  const changes = await logChanges.countPending(db);
  const late =
    waiting + changes > 0
      ? [
          note(
            `${waiting} rows of the log and ${changes} changes of such rows wait for the database of LOG_SQL_DSN`,
          ),
        ]
      : [];
  try {
    const state = await schemaState(archive);
    if (state === 'foreign')
      return [wrong('the database of LOG_SQL_DSN holds tables of another program'), ...late];
    if (state === 'newer') return [wrong('the database of LOG_SQL_DSN is of a newer Tollgate'), ...late];
    if (state === 'current') await logMoves.newestId(archive.db);
    return [ok(`the database of LOG_SQL_DSN (${archive.dialect.kind}) answers`), ...late];
  } catch (error) {
    const text = `the database of LOG_SQL_DSN does not answer, so older rows of the log cannot be read and new ones wait`;
    return [wrong(`${text}: ${errorMessage(error)}`), ...late];
  }
}
