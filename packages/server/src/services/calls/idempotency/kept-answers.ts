import type { PriceExtras, Usage } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type Db, idempotentCalls as rows } from '../../../store/index.ts';
import { type KeptAnswer, maxAnswerLength, openAnswer, sealAnswer } from './keyed-calls.ts';

/** An answer with the usage of its call, so that it can be charged again. */
export interface PricedAnswer extends KeptAnswer {
  usage: Usage;
  extras?: PriceExtras | undefined;
  /** The model at the vendor. */
  upstreamModel: string;
}

/** Answers of calls that are asked again, by the hash of the call, each for one user (docs/money.md#answers-from-the-cache). */
export interface KeptAnswers {
  /** A stored answer that is not too old; undefined without one. */
  find(name: string, userId: number): Promise<PricedAnswer | undefined>;
  /** Stores the answer of a call, within the limits of its user. */
  keep(name: string, userId: number, requestId: string, answer: PricedAnswer): Promise<void>;
  /** Deletes answers that are too old, and the oldest ones above the limits. */
  sweep(): Promise<void>;
}

interface KeptAnswersDeps {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  node: string;
  /** Seconds for which an answer may be used; 0 stores none. */
  lifetime: () => number;
}

const perUser = { rows: 10_000, size: 64 * 1024 * 1024 };
const inAll = { rows: 200_000, size: 512 * 1024 * 1024 };

/** Opens the stored answers. They share their table with those of an Idempotency-Key. */
export function createKeptAnswers({ db, sealer, clock, node, lifetime }: KeptAnswersDeps): KeptAnswers {
  return {
    async find(name, userId) {
      const row = await rows.find(db, name);
      if (!row || row.owner !== rows.answersOf(userId) || seconds(clock) - row.at >= lifetime())
        return undefined;
      return openAnswer<PricedAnswer>(sealer, row);
    },
    async keep(name, userId, requestId, answer) {
      const sealed = await sealAnswer(sealer, name, answer);
      if (sealed.length > maxAnswerLength) return;
      const owner = rows.answersOf(userId);
      const call = { name, owner, body_hash: name, request_id: requestId, node, at: seconds(clock) };
      await rows.keep(db, { ...call, status: answer.status, answer: sealed, size: sealed.length });
      const total = await rows.totalsOf(db, owner);
      if (total.rows > perUser.rows || total.size > perUser.size) await rows.trim(db, perUser, owner);
    },
    async sweep() {
      await rows.removeBefore(db, seconds(clock) - lifetime() + 1, 'answers');
      for (const owner of await rows.ownersBeyond(db, perUser, 'answers')) {
        await rows.trim(db, perUser, owner);
      }
      await rows.trim(db, inAll, undefined, 'answers');
    },
  };
}
