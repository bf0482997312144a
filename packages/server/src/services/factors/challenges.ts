import { seconds } from '../../lib/clock.ts';
import { sha256 } from '../../lib/hash.ts';
import { passkeyChallenges } from '../../store/index.ts';
import type { FactorsDeps } from './deps.ts';

/** What a passkey is asked for. */
export interface Question {
  purpose: 'sign-in' | 'second-step' | 'register' | 'proof';
  /** What names the browser that asks: its mark, its session, or its ticket. */
  browser: string;
  /** 0 when anybody may answer. */
  userId: number;
}

/** How long somebody may take to touch their device. */
const lifeSeconds = 300;

const rowOf = (challenge: string, { purpose, browser, userId }: Question) => ({
  challenge_hash: sha256(challenge),
  purpose,
  bound_hash: sha256(browser),
  user_id: userId,
});

/** Remembers a challenge for the one answer that it is good for. */
export const remember = (
  { db, clock }: Pick<FactorsDeps, 'db' | 'clock'>,
  challenge: string,
  question: Question,
): Promise<void> =>
  passkeyChallenges.add(db, {
    ...rowOf(challenge, question),
    expires_time: seconds(clock) + lifeSeconds,
  });

/** True once, for the answer to this very question from this very browser, in time. */
export const isAnswered = (
  { db, clock }: Pick<FactorsDeps, 'db' | 'clock'>,
  challenge: string,
  question: Question,
): Promise<boolean> => passkeyChallenges.take(db, rowOf(challenge, question), seconds(clock));
