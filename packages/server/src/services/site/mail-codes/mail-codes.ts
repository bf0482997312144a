import { createHmac, hkdfSync, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { AppError } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { type Db, mailCodes, noticeCounts } from '../../../store/index.ts';

/** Purpose of a code: to confirm a mail address, or to set a new password. */
type MailCodePurpose = 'verify' | 'reset';

export interface MailCodesDeps {
  db: Db;
  masterKey: Buffer;
  clock: Clock;
}

/** Codes sent by mail. They are stored in SQL, so that all processes of a site share them. */
export interface MailCodes {
  /** Creates a code for an address and invalidates earlier ones. Throws `mail_too_soon`. */
  issue(purpose: MailCodePurpose, email: string): Promise<string>;
  /** Whether a code is the sent one; each check counts as an attempt. */
  check(purpose: MailCodePurpose, email: string, code: string): Promise<boolean>;
  /** Consumes a correct code in the transaction `db`; false if it was already used. */
  use(db: Db, purpose: MailCodePurpose, email: string, code: string): Promise<boolean>;
  /** Deletes expired codes; returns their number. */
  sweep(): Promise<number>;
}

/** Lifetime of a code (docs/compatibility.md#mail). */
const lifeSeconds = 600;
/** Maximum number of wrong attempts for one code: with a million codes, guessing is hopeless (ASVS 6.5.5). */
const maxTries = 5;
/** Mails to one address: one in half a minute, ten in an hour. */
const limits = [
  { name: 'soon', count: 1, windowMs: 30_000 },
  { name: 'hour', count: 10, windowMs: 3_600_000 },
] as const;

/** Six digits to type, or a long text in a link. */
const codeFor: Record<MailCodePurpose, () => string> = {
  verify: () => String(randomInt(1_000_000)).padStart(6, '0'),
  reset: () => randomBytes(16).toString('hex'),
};

/** Addresses that differ only in case are the same. */
const plainAddress = (email: string): string => email.trim().toLowerCase();

export function createMailCodes({ db, masterKey, clock }: MailCodesDeps): MailCodes {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'tollgate mail codes v1', 32));
  // The hash is keyed, because a short code could be found from a plain hash.
  const hashOf = (purpose: MailCodePurpose, email: string, code: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([purpose, plainAddress(email), code]))
      .digest('hex');

  const count = async (purpose: MailCodePurpose, email: string): Promise<void> => {
    for (const { name, count: most, windowMs } of limits) {
      const counted = `${purpose}-${name}:${plainAddress(email)}`;
      const now = clock();
      if (await noticeCounts.claim(db, counted, { count: most, windowMs }, now)) continue;
      const since = (await noticeCounts.since(db, counted)) ?? now;
      const retryAfter = Math.max(1, Math.ceil((since + windowMs - now) / 1000));
      throw new AppError('mail_too_soon', { retryAfter });
    }
  };

  return {
    async issue(purpose, email) {
      await count(purpose, email);
      const code = codeFor[purpose]();
      await mailCodes.put(db, {
        purpose,
        email: plainAddress(email),
        code_hash: hashOf(purpose, email, code),
        expires_time: seconds(clock) + lifeSeconds,
      });
      return code;
    },
    async check(purpose, email, code) {
      const name = { purpose, email: plainAddress(email) };
      if (!(await mailCodes.countTry(db, name, { tries: maxTries, now: seconds(clock) }))) return false;
      const row = await mailCodes.find(db, name);
      const given = Buffer.from(hashOf(purpose, email, code), 'hex');
      return row !== undefined && timingSafeEqual(given, Buffer.from(row.code_hash, 'hex'));
    },
    use: (transaction, purpose, email, code) =>
      mailCodes.use(transaction, {
        purpose,
        email: plainAddress(email),
        code_hash: hashOf(purpose, email, code),
      }),
    sweep: () => mailCodes.removeExpired(db, seconds(clock)),
  };
}
