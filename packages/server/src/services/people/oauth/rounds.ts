import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { AppError } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { type Db, signInStarts } from '../../../store/index.ts';
import type { Round } from './types.ts';

/** The user, provider and purpose of a round. */
interface RoundStart {
  /** '' for any provider, used by older consoles, which open the provider's page themselves. */
  provider: string;
  /** The value of the cookie of the browser that starts the round. */
  browser: string;
  /** 0 for a sign-in, otherwise the user who binds. */
  userId: number;
  affCode: string;
}

/** Rounds through other sites: each belongs to one browser, one provider and one purpose, and can be ended once. */
export interface Rounds {
  begin(start: RoundStart, redirectUri: string): Promise<Round>;
  /**
   * Throws `oauth_state_wrong` unless this browser started it for this provider, not long ago, and it was not ended.
   */
  end(
    state: string,
    from: Pick<RoundStart, 'provider' | 'browser'>,
    redirectUri: string,
  ): Promise<{ round: Round; userId: number; affCode: string }>;
  /** A round at this provider that waits for its answer; undefined if there is none. */
  find(state: string, provider: string, redirectUri: string): Promise<Round | undefined>;
  /** Keeps the answer that a provider has posted until the browser of the round comes for it; false the second time. */
  answer(state: string, text: string): Promise<boolean>;
  /** True for the first use of this text; it is stored for as long as it could be used again. */
  isFirst(text: string): Promise<boolean>;
  /** Deletes rounds that were not ended in time; returns their number. */
  sweep(): Promise<number>;
}

/** Time limit for the user at the other site. */
const lifeSeconds = 600;

export function createRounds({ db, masterKey, clock }: { db: Db; masterKey: Buffer; clock: Clock }): Rounds {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'tollgate sign-in rounds v1', 32));
  // Both are derived from the state, so that no secret has to be stored between start and end.
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
        round: {
          ...roundOf(start.provider, state, redirectUri),
          ...(start.answer !== null && { answer: start.answer }),
        },
        userId: start.user_id,
        affCode: start.aff_code,
      };
    },
    async find(state, provider, redirectUri) {
      const wanted = { stateHash: sha256(state), provider, now: seconds(clock) };
      return (await signInStarts.isOpen(db, wanted)) ? roundOf(provider, state, redirectUri) : undefined;
    },
    answer: (state, text) => signInStarts.answer(db, sha256(state), text),
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
