import type { AuditKind, AuditPage } from '@tollgate/contract';
import type { Db } from '../../store/index.ts';

/** A console call under method, as its rows tell of it. */
export interface AuditedCall {
  /** What the call is declared as; undefined for calls that leave no row by themselves. */
  kind: AuditKind | undefined;
  /** Who calls; null for guests. */
  actor: { id: number; username: string } | null;
  /** How they proved it: session or access-token; '' for guests. */
  method: string;
  ip: string;
  userAgent: string;
  requestId: string;
}

/** A value of a field: short texts and numbers as they are, secrets as a mask, long texts cut. */
export type AuditValue = string | number | boolean | null;

/** The fields that changed, each with its value before and after. */
export type Changes = Readonly<Record<string, { before: AuditValue; after: AuditValue }>>;

/** What a row is about. */
export interface AuditTarget {
  type:
    | 'user'
    | 'token'
    | 'channel'
    | 'redemption'
    | 'setting'
    | 'session'
    | 'log'
    | 'provider'
    | 'team'
    | 'rerating'
    | 'report';
  id: number | string;
  name?: string | undefined;
}

/** One thing that happened. What is absent is that of the call. */
export interface AuditEvent {
  kind?: AuditKind;
  /** Why it was not done, by the name of our error; done without it. */
  outcome?: string;
  /** Who did it, where the call does not know yet: somebody who just signed in. */
  actor?: { id: number; username: string };
  /** Whose account it concerns; of a user as target by itself. */
  userId?: number;
  target?: AuditTarget;
  method?: string;
  /** An event whose changes are there and empty leaves no row: nothing happened. */
  changes?: Changes;
  /** Further particulars: amounts in quota units, reasons, numbers of rows. Never a secret. */
  note?: Readonly<Record<string, AuditValue>>;
}

/** Which rows; what is empty or 0 does not narrow. */
export interface AuditQuery {
  start?: number;
  end?: number;
  /** Id or name of who did it. */
  actor?: string;
  /** Id or name of what it was done to. */
  target?: string;
  userId?: number;
  kind?: string;
  text?: string;
  /** 0 for the newest rows. */
  before: number;
  limit: number;
}

/** Keeps what people did. Rows are added and read; nothing changes them. */
export interface Audit {
  /**
   * Runs a console call: whatever is recorded meanwhile is told as done by it. A call that is declared with a kind and
   * recorded nothing itself leaves a bare row when it is done.
   */
  during<T>(call: AuditedCall, work: () => Promise<T>): Promise<T>;
  /**
   * Writes down an event in the caller's transaction, so that the act and its row stand or fall together. Without a kind,
   * of its own or of the call (a job, a note of no weight), nothing is written.
   */
  record(db: Db, event: AuditEvent): Promise<void>;
  /** Rows of a question, newest first. */
  list(query: AuditQuery): Promise<AuditPage>;
  /**
   * Lets go of rows older than so many days, as the operator set it, and keeps a row of that; answers how many. Nothing
   * with 0 days.
   */
  expire(days: number): Promise<number>;
  /** The same for what is told once an hour for each target and address: readings, which programs repeat. */
  recordOnce(db: Db, event: AuditEvent): Promise<void>;
}
