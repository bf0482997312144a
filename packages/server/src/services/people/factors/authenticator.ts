import { AppError } from '@tollgate/contract';
import { Secret, TOTP } from 'otpauth';
import { type SealPlace } from '../../../lib/seal.ts';
import { seconds } from '../../../lib/clock.ts';
import { authenticators, inTransaction, recoveryCodes } from '../../../store/index.ts';
import type { FactorsDeps } from './deps.ts';
import { plainCode, type RecoveryCodes } from './recovery-codes.ts';

/** The parameters that every authenticator app supports (RFC 6238). */
const kind = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Codes of the previous and next step are accepted too, because clocks differ and typing takes time. */
const window = 1;
const secretBytes = 20;

type Deps = FactorsDeps & { recovery: RecoveryCodes };

/** The seal place of a user's app secret. */
export const authenticatorPlace = (userId: number): SealPlace => ({
  column: 'authenticators.secret',
  row: userId,
});

/** The data for an app. */
export interface Proposal {
  /** Base 32, for typing. */
  secret: string;
  /** `otpauth://totp/…`, for scanning. */
  uri: string;
  /** Recovery codes, created if the account has none; valid once the app is confirmed. */
  recoveryCodes: string[];
}

/** Creates a secret, which becomes valid once one of its codes was entered. Throws `second_factor_on`. */
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
    // Recovery codes of an earlier proposal must not replace valid ones.
    await recoveryCodes.replace(trx, user.id, [], { active: false });
    return [];
  });
  return { secret: secret.base32, uri, recoveryCodes: codes };
}

/** True for a present code of the app that was not used before; using it makes it invalid. */
async function useAppCode({ db, sealer, clock }: Deps, row: authenticators.AuthenticatorRow, code: string) {
  const secret = Secret.fromBase32(sealer.open(row.secret_sealed, authenticatorPlace(row.user_id)));
  const timestamp = clock();
  const delta = new TOTP({ ...kind, secret }).validate({ token: plainCode(code), timestamp, window });
  if (delta === null) return false;
  const step = Math.floor(timestamp / 1000 / kind.period) + delta;
  return authenticators.useStep(db, row, step);
}

/** True for the first code of a proposed secret. Throws `second_factor_missing`, `second_factor_on`. */
export async function isProposedCode(deps: Deps, userId: number, code: string): Promise<boolean> {
  const row = await authenticators.find(deps.db, userId);
  if (!row) throw new AppError('second_factor_missing');
  if (row.confirmed_time > 0) throw new AppError('second_factor_on');
  return useAppCode(deps, row, code);
}

/** Activates the app and the recovery codes that were created with it. Throws `second_factor_on`. */
export async function confirm({ db, clock }: Deps, userId: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (!(await authenticators.confirm(trx, userId, seconds(clock)))) throw new AppError('second_factor_on');
    await recoveryCodes.activate(trx, userId);
  });
}

/** True for a code of the confirmed app, or for a recovery code; using either makes it invalid. */
export async function isCode(deps: Deps, userId: number, code: string): Promise<'app' | 'recovery' | false> {
  if (/^\d{6}$/.test(plainCode(code))) {
    const row = await authenticators.find(deps.db, userId);
    if (!row || row.confirmed_time === 0) return false;
    return (await useAppCode(deps, row, code)) && 'app';
  }
  return (await deps.recovery.use(deps.db, userId, code)) && 'recovery';
}
