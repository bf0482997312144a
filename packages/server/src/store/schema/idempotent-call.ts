import type { Generated } from 'kysely';

/** A relay call that its caller named (Idempotency-Key), for a day: who repeats it gets the same answer. */
export interface IdempotentCallTable {
  id: Generated<number>;
  /** SHA-256 of owner, path and key: unique. */
  name: string;
  /** Whose keys are counted together: `token:7`, or `user:3` for the playground. */
  owner: string;
  /** SHA-256 of what was asked; the same key with another one is refused. */
  body_hash: string;
  /** The call that the key stands for, as the ledger knows it. */
  request_id: string;
  /** The process that runs or ran it. */
  node: string;
  /** Unix seconds of the start. */
  at: number;
  /** HTTP status of the answer; 0 while the call runs, and after its process died. */
  status: number;
  /** Characters of `answer`. */
  size: number;
  /** The answer, compressed and sealed; '' when it is not kept. */
  answer: string;
}
