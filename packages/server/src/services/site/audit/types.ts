import type { AuditKind, AuditPage } from '@tollgate/contract';
import type { Db } from '../../../store/index.ts';

/** A console call, as recorded. */
export interface AuditedCall {
  /** The declared kind of the call; undefined for calls that are not recorded automatically. */
  kind: AuditKind | undefined;
  /** The caller; null for guests. */
  actor: { id: number; username: string } | null;
  /** Authentication method of the caller: session or access-token; '' for guests. */
  method: string;
  ip: string;
  userAgent: string;
  requestId: string;
}

/** A value of a field: short texts and numbers unchanged, secrets as a mask, long texts cut. */
export type AuditValue = string | number | boolean | null;

/** The changed fields, each with its value before and after. */
export type Changes = Readonly<Record<string, { before: AuditValue; after: AuditValue }>>;

/** The object of a record. */
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
    | 'budget'
    | 'task'
    | 'plan'
    | 'report';
  id: number | string;
  name?: string | undefined;
}

/** One event. Absent fields are those of the call. */
export interface AuditEvent {
  kind?: AuditKind;
  /** The error code if it was refused; absent if it was done. */
  outcome?: string;
  /** The actor, if the call itself has none: a user who has just signed in. */
  actor?: { id: number; username: string };
  /** The account concerned; set automatically if the target is a user. */
  userId?: number;
  target?: AuditTarget;
  method?: string;
  /** An event with an empty list of changes is not recorded. */
  changes?: Changes;
  /** Further details: amounts in quota units, reasons, numbers of rows. Never a secret. */
  note?: Readonly<Record<string, AuditValue>>;
}

/** Filters; empty or 0 means no filter. */
export interface AuditQuery {
  start?: number;
  end?: number;
  /** Id or name of the actor. */
  actor?: string;
  /** Id or name of the target. */
  target?: string;
  userId?: number;
  kind?: string;
  text?: string;
  /** 0 for the newest rows. */
  before: number;
  limit: number;
}

/** Records what users do. Rows are added and read; nothing changes them. */
export interface Audit {
  /**
   * Runs a console call; all events recorded during it are attributed to its caller. If the call is declared with a
   * kind and no event was recorded, a row without details is written at its end.
   */
  during<T>(call: AuditedCall, work: () => Promise<T>): Promise<T>;
  /**
   * Records an event in the caller's transaction, so that both are written or neither. Writes nothing without a kind of
   * the event or the call (a job, an unimportant note).
   */
  record(db: Db, event: AuditEvent): Promise<void>;
  /** Rows that match a query, newest first. */
  list(query: AuditQuery): Promise<AuditPage>;
  /**
   * Deletes rows older than the configured number of days, and records that; returns their number. Deletes nothing for
   * 0 days.
   */
  expire(days: number): Promise<number>;
  /** The same for reads, which programs repeat: recorded once an hour for each target and address. */
  recordOnce(db: Db, event: AuditEvent): Promise<void>;
}
