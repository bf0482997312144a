import { Secret } from 'otpauth';
import type { ForeignDatabase } from '../../store/index.ts';
import { cellsOf } from './kit/cells.ts';

/** An authenticator app of a user. */
export interface SourceFactor {
  userId: number;
  /** Base 32. */
  secret: string;
}

/** Second factors that are on. Throws for a secret that cannot be read: its owner would be without a protection. */
export async function readFactors(foreign: ForeignDatabase): Promise<SourceFactor[]> {
  const rows = await foreign.all('two_fas', ['id', 'user_id', 'secret', 'is_enabled', 'deleted_at']);
  return rows.flatMap((row) => {
    const cells = cellsOf(row, 'two_fas');
    if (!cells.flag('is_enabled') || cells.date('deleted_at') !== null) return [];
    const userId = cells.whole('user_id');
    const secret = cells.text('secret').toUpperCase();
    if (!isBase32(secret)) throw new Error(`the second factor of user ${userId} cannot be read`);
    return { userId, secret };
  });
}

function isBase32(text: string): boolean {
  try {
    return text !== '' && Secret.fromBase32(text).bytes.length > 0;
  } catch {
    return false;
  }
}
