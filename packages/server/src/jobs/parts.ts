import type { Probe, TaskPoller } from '../gateway/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Accounts } from '../services/accounts/index.ts';
import type { Audit } from '../services/audit/index.ts';
import type { Auth } from '../services/auth/index.ts';
import type { Channels } from '../services/channels/index.ts';
import type { Factors } from '../services/factors/index.ts';
import type { KeyedCalls } from '../services/idempotency/index.ts';
import type { BookAudit, Ledger } from '../services/ledger/index.ts';
import type { FailureLog, LogHours, LogMover, Logs } from '../services/logs/index.ts';
import type { MailCodes } from '../services/mail-codes/index.ts';
import type { Notifier } from '../services/notify/index.ts';
import type { Rounds } from '../services/oauth/index.ts';
import type { Payments } from '../services/payments/index.ts';
import type { Pricing } from '../services/pricing/index.ts';
import type { Reratings } from '../services/rerating/index.ts';
import type { Routing } from '../services/routing/index.ts';
import type { Settings } from '../services/settings/index.ts';
import type { Tokens } from '../services/tokens/index.ts';
import type { Job } from './runner.ts';

/** Backups of the embedded database. */
export interface BackupParts {
  everyHours: number;
  /** When the newest was made; undefined if there is none. */
  newest(): Promise<Date | undefined>;
  /** Makes one and verifies it; returns its report. */
  make(): Promise<string>;
}

/** Every service of the process; jobs take what they need. */
export interface JobParts {
  accounts: Accounts;
  auth: Auth;
  channels: Channels;
  codes: MailCodes;
  factors: Factors;
  failures: FailureLog;
  keyedCalls: KeyedCalls;
  ledger: Ledger;
  logs: Logs;
  logHours: LogHours;
  /** Null if the log has no database of its own. */
  logMover: Pick<LogMover, 'work'> | null;
  notifier: Notifier;
  payments: Payments;
  poller: Pick<TaskPoller, 'run'>;
  pricing: Pricing;
  probe: Probe;
  reratings: Pick<Reratings, 'work'>;
  rounds: Rounds;
  routing: Routing;
  settings: Settings;
  tokens: Tokens;
  audit: BookAudit;
  /** The audit log. */
  auditTrail: Audit;
  /** Hours whose sums do not agree with the log, as text. */
  checkHours(): Promise<readonly string[]>;
  /** True if no other process uses the same database. */
  isAlone: boolean;
  /** CHANNEL_TEST_FREQUENCY and CHANNEL_UPDATE_FREQUENCY, in minutes; 0 for never. */
  testMinutes: number;
  balanceMinutes: number;
  /** Null if this process makes no backups. */
  backups: BackupParts | null;
  clock: Clock;
  log: Log;
}

/** Creates a job from some parts of the process; null if this process does not run it. */
export type MakeJob<Needed extends keyof JobParts> = (parts: Pick<JobParts, Needed>) => Job | null;
