import { AppError } from '@tollgate/contract';
import { Secret, TOTP } from 'otpauth';
import { type SealPlace } from '../../lib/seal.ts';
import { seconds } from '../../lib/clock.ts';
import { authenticators, inTransaction, recoveryCodes } from '../../store/index.ts';
import type { FactorsDeps } from './deps.ts';
import { plainCode, type RecoveryCodes } from './recovery-codes.ts';

/** What every authenticator app knows (RFC 6238). */
const kind = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Codes of the step before and after count too: clocks and fingers are slow. */
const window = 1;
const secretBytes = 20;

type Deps = FactorsDeps & { recovery: RecoveryCodes };

/** Where the sealed secret of a user's app belongs. */
export const authenticatorPlace = (userId: number): SealPlace => ({
  column: 'authenticators.secret',
  row: userId,
});

/** What an app is told. */
export interface Proposal {
  /** Base 32, for those who type it. */
  secret: string;
  /** `otpauth://totp/…`, for those who scan it. */
  uri: string;
  /** Made when the account has none yet; they count as soon as the app is confirmed. */
  recoveryCodes: string[];
}

/** Makes a secret, which counts once a code of it came back. Throws `second_factor_on`. */
export async function propose(
  deps: Deps,
  user: { id: number; username: string },
  hasOther: boolean,
): Promise<Proposal> {
  const { db, sealer, settings, recovery } = deps;
  const secret = new Secret({ size: secretBytes });
  const uri = new TOTP({
    ...kind,
    issuer: settings.get('SystemName'),
    label: user.username,
    secret,
  }).toString();
  const codes = await inTransaction(db, async (trx) => {
    const sealed = sealer.seal(secret.base32, authenticatorPlace(user.id));
    if (!(await authenticators.propose(trx, user.id, sealed))) throw new AppError('second_factor_on');
    if (!hasOther) return recovery.make(trx, user.id, { active: false });
    // Codes of an earlier proposal must not take the place of those that count by now.
    await recoveryCodes.replace(trx, user.id, [], { active: false });
    return [];
  });
  return { secret: secret.base32, uri, recoveryCodes: codes };
}

/** True for a code that the app shows now and that was not used before; it is used up by that. */
async function useAppCode({ db, sealer, clock }: Deps, row: authenticators.AuthenticatorRow, code: string) {
  const secret = Secret.fromBase32(sealer.open(row.secret_sealed, authenticatorPlace(row.user_id)));
  const timestamp = clock();
  const delta = new TOTP({ ...kind, secret }).validate({ token: plainCode(code), timestamp, window });
  if (delta === null) return false;
  const step = Math.floor(timestamp / 1000 / kind.period) + delta;
  return authenticators.useStep(db, row, step);
}

/** True for the first code of a secret that was proposed. Throws `second_factor_missing`, `second_factor_on`. */
export async function isProposedCode(deps: Deps, userId: number, code: string): Promise<boolean> {
  const row = await authenticators.find(deps.db, userId);
  if (!row) throw new AppError('second_factor_missing');
  if (row.confirmed_time > 0) throw new AppError('second_factor_on');
  return useAppCode(deps, row, code);
}

/** The app counts from now on, and the recovery codes that were made with it. Throws `second_factor_on`. */
export async function confirm({ db, clock }: Deps, userId: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (!(await authenticators.confirm(trx, userId, seconds(clock)))) throw new AppError('second_factor_on');
    await recoveryCodes.activate(trx, userId);
  });
}

/** True for a code of the confirmed app, or for a recovery code; either is used up by that. */
export async function isCode(deps: Deps, userId: number, code: string): Promise<'app' | 'recovery' | false> {
  if (/^\d{6}$/.test(plainCode(code))) {
    const row = await authenticators.find(deps.db, userId);
    if (!row || row.confirmed_time === 0) return false;
    return (await useAppCode(deps, row, code)) && 'app';
  }
  return (await deps.recovery.use(deps.db, userId, code)) && 'recovery';
}
