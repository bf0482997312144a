import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type Db, idempotentCalls as rows } from '../../../store/index.ts';
import { maxAnswerLength, openAnswer, sealAnswer } from './keyed-calls.ts';

/** The texts of a call, after redaction. */
interface CapturedTexts {
  request: string;
  answer: string;
}

/** A call whose texts are captured, and the organisation of the rule; 0 if the rule is of a key or of the site. */
interface CapturedCall {
  requestId: string;
  userId: number;
  teamId: number;
}

/** Texts of calls that rules of the site capture (docs/security.md#captured-content). */
export interface CapturedStore {
  /** Stores the texts of a call, sealed, within the limits. */
  keep(call: CapturedCall, texts: CapturedTexts): Promise<void>;
  /** The texts of a call, with the organisation of its rule; undefined without any. */
  find(requestId: string): Promise<(CapturedTexts & { at: number; teamId: number }) | undefined>;
  /** Deletes texts that are too old, and the oldest ones above the limit. */
  sweep(): Promise<void>;
}

interface CapturedDeps {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  node: string;
  /** Days for which texts are kept. */
  days: () => number;
}

/** All texts of a site. */
const inAll = { rows: 200_000, size: 1024 * 1024 * 1024 };

const nameOf = (requestId: string): string => sha256(JSON.stringify(['texts', requestId]));

/** Opens the captured texts. They share their table with the answers of an Idempotency-Key. */
export function createCapturedTexts({ db, sealer, clock, node, days }: CapturedDeps): CapturedStore {
  const oldest = (): number => seconds(clock) - days() * 86_400;
  return {
    async keep({ requestId, userId, teamId }, texts) {
      const name = nameOf(requestId);
      const body = Buffer.from(JSON.stringify(texts));
      const sealed = await sealAnswer(sealer, name, { status: 200, headers: {}, trailers: {}, body });
      if (sealed.length > maxAnswerLength) return;
      const row = { name, owner: rows.textsOf(teamId, userId), body_hash: name, request_id: requestId, node };
      await rows.keep(db, { ...row, at: seconds(clock), status: 200, answer: sealed, size: sealed.length });
    },
    async find(requestId) {
      const row = await rows.find(db, nameOf(requestId));
      if (!row || row.at < oldest()) return undefined;
      const { body } = await openAnswer(sealer, row);
      const texts = JSON.parse(body.toString()) as CapturedTexts;
      return { ...texts, at: row.at, teamId: Number(row.owner.split(':')[1]) };
    },
    async sweep() {
      await rows.removeBefore(db, oldest(), 'texts');
      await rows.trim(db, inAll, undefined, 'texts');
    },
  };
}
