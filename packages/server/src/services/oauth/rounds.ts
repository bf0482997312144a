import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { AppError } from '@tollgate/contract';
import { type Clock, seconds } from '../../lib/clock.ts';
import { sha256 } from '../../lib/hash.ts';
import { type Db, signInStarts } from '../../store/index.ts';
import type { Round } from './types.ts';

/** Who begins a round, and what for. */
export interface RoundStart {
  /** '' for any, as older consoles have it, who open the provider's page by themselves. */
  provider: string;
  /** The value of the cookie of the browser that begins it. */
  browser: string;
  /** 0 to sign in, else the user who binds. */
  userId: number;
  affCode: string;
}

/** Rounds through other sites: each is of one browser, one provider and one purpose, and ends once. */
export interface Rounds {
  begin(start: RoundStart, redirectUri: string): Promise<Round>;
  /** Throws `oauth_state_wrong` unless this very browser began it for this provider, not long ago, and did not end it. */
  end(
    state: string,
    from: Pick<RoundStart, 'provider' | 'browser'>,
    redirectUri: string,
  ): Promise<{ round: Round; userId: number; affCode: string }>;
  /** True for the first who shows this text; it is remembered for as long as it might be shown again. */
  isFirst(text: string): Promise<boolean>;
  /** Deletes what nobody ended in time; answers how many. */
  sweep(): Promise<number>;
}

/** How long somebody may take at the other site. */
const lifeSeconds = 600;

export function createRounds({ db, masterKey, clock }: { db: Db; masterKey: Buffer; clock: Clock }): Rounds {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'tollgate sign-in rounds v1', 32));
  // Both follow from the state, so that nothing secret has to be kept between start and end.
  const derived = (purpose: string, state: string): string =>
    createHmac('sha256', key).update(`${purpose}:${state}`).digest('base64url');
  const roundOf = (provider: string, state: string, redirectUri: string): Round => ({
    state,
    verifier: provider === '' ? '' : derived('verifier', state),
    nonce: provider === '' ? '' : derived('nonce', state),
    redirectUri,
  });
  return {
    async begin({ provider, browser, userId, affCode }, redirectUri) {
      const state = randomBytes(24).toString('base64url');
      await signInStarts.add(db, {
        state_hash: sha256(state),
        browser_hash: sha256(browser),
        provider,
        user_id: userId,
        aff_code: affCode,
        expires_time: seconds(clock) + lifeSeconds,
      });
      return roundOf(provider, state, redirectUri);
    },
    async end(state, { provider, browser }, redirectUri) {
      if (state === '' || browser === '') throw new AppError('oauth_state_wrong');
      const start = await signInStarts.take(db, sha256(state), seconds(clock));
      const isHere = start?.browser_hash === sha256(browser);
      if (!start || !isHere || !['', provider].includes(start.provider)) {
        throw new AppError('oauth_state_wrong');
      }
      return {
        round: roundOf(start.provider, state, redirectUri),
        userId: start.user_id,
        affCode: start.aff_code,
      };
    },
    isFirst: (text) =>
      signInStarts.add(db, {
        state_hash: sha256(text),
        browser_hash: '',
        provider: '',
        user_id: 0,
        aff_code: '',
        expires_time: seconds(clock) + lifeSeconds,
      }),
    sweep: () => signInStarts.removeExpired(db, seconds(clock)),
  };
}
