import { seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { passkeyChallenges } from '../../../store/index.ts';
import type { FactorsDeps } from './deps.ts';

/** The purposes of a passkey challenge. */
export interface Question {
  purpose: 'sign-in' | 'second-step' | 'register' | 'proof';
  /** The id of the requesting browser: its mark, its session, or its ticket. */
  browser: string;
  /** 0 for any user. */
  userId: number;
}

/** Time limit for the confirmation on the device. */
const lifeSeconds = 300;

const rowOf = (challenge: string, { purpose, browser, userId }: Question) => ({
  challenge_hash: sha256(challenge),
  purpose,
  bound_hash: sha256(browser),
  user_id: userId,
});

/** Stores a challenge, which is valid for one answer. */
export const remember = (
  { db, clock }: Pick<FactorsDeps, 'db' | 'clock'>,
  challenge: string,
  question: Question,
): Promise<void> =>
  passkeyChallenges.add(db, {
    ...rowOf(challenge, question),
    expires_time: seconds(clock) + lifeSeconds,
  });

/** True once, for a timely answer to this challenge from this browser. */
export const isAnswered = (
  { db, clock }: Pick<FactorsDeps, 'db' | 'clock'>,
  challenge: string,
  question: Question,
): Promise<boolean> => passkeyChallenges.take(db, rowOf(challenge, question), seconds(clock));
