import { createHmac, hkdfSync, randomInt } from 'node:crypto';
import { recoveryCodeCount } from '@tollgate/contract';
import { type Db, recoveryCodes, users } from '../../../store/index.ts';

/** Without letters that look alike, because people copy them from paper. */
const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const codeLength = 10;

/** `ABCDE-FGHJK`: about 49 random bits. */
function randomCode(): string {
  const text = Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('');
  return `${text.slice(0, codeLength / 2)}-${text.slice(codeLength / 2)}`;
}

/** The normalised form of a code: without separators, in capitals. */
export const plainCode = (code: string): string => code.replace(/[\s-]/g, '').toUpperCase();

/** Codes that replace a lost device. Only hashes are stored, under a key of this site. */
export interface RecoveryCodes {
  /**
   * Creates ten codes within the transaction `db`; former codes become invalid. With `active` false they are valid
   * once an authenticator is confirmed.
   */
  make(db: Db, userId: number, how: { active: boolean }): Promise<string[]>;
  /** Uses a code; false if it is wrong or was used. */
  use(db: Db, userId: number, code: string): Promise<boolean>;
}

export function createRecoveryCodes(masterKey: Buffer): RecoveryCodes {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'tollgate recovery codes v1', 32));
  const hashOf = (userId: number, code: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([userId, plainCode(code)]))
      .digest('hex');
  return {
    async make(db, userId, how) {
      const codes = Array.from({ length: recoveryCodeCount }, randomCode);
      // Two simultaneous requests must not create twenty codes.
      await users.findLocked(db, userId);
      const hashes = codes.map((code) => hashOf(userId, code));
      await recoveryCodes.replace(db, userId, hashes, how);
      return codes;
    },
    use: (db, userId, code) => recoveryCodes.use(db, userId, hashOf(userId, code)),
  };
}
