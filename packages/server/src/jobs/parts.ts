import type { Probe, TaskPoller } from '../gateway/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Accounts } from '../services/people/accounts/index.ts';
import type { Audit } from '../services/site/audit/index.ts';
import type { Auth } from '../services/people/auth/index.ts';
import type { Channels } from '../services/calls/channels/index.ts';
import type { Factors } from '../services/people/factors/index.ts';
import type { Sales } from '../services/calls/tasks/index.ts';
import type { CapturedStore, KeptAnswers, KeyedCalls } from '../services/calls/idempotency/index.ts';
import type { BookAudit, Ledger } from '../services/money/ledger/index.ts';
import type { FailureLog, LogHours, LogMover, Logs } from '../services/upkeep/logs/index.ts';
import type { MailCodes } from '../services/site/mail-codes/index.ts';
import type { Alarms, Notifier } from '../services/site/notify/index.ts';
import type { Rounds } from '../services/people/oauth/index.ts';
import type { AutoTopUps, Payments, Plans } from '../services/money/payments/index.ts';
import type { Pricing } from '../services/money/pricing/index.ts';
import type { Reratings } from '../services/money/rerating/index.ts';
import type {
  AttemptCounts,
  ChannelHealth,
  KeptParts,
  KeptResponses,
  Routing,
  StoredResponses,
} from '../services/calls/routing/index.ts';
import type { SignedReceipts } from '../services/money/receipts/index.ts';
import type { Statements } from '../services/money/statements/index.ts';
import type { Settings } from '../services/site/settings/index.ts';
import type { Tokens } from '../services/people/tokens/index.ts';
import type { Job } from './runner.ts';

/** Backups of the embedded database. */
export interface BackupParts {
  everyHours: number;
  /** Time of the newest one; undefined if there is none. */
  newest(): Promise<Date | undefined>;
  /** Makes one and verifies it; returns its report. */
  make(): Promise<string>;
}

/** Every service of the process; jobs take what they need. */
export interface JobParts {
  accounts: Accounts;
  alarms: Pick<Alarms, 'raise' | 'end' | 'sync' | 'deliver'>;
  /** Current alarms by cause. */
  findAlarms(): Promise<Parameters<Alarms['sync']>[0]>;
  /** Begins and ends the alarms of budgets, and notifies their owners. */
  warnOfBudgets(): Promise<void>;
  /** Tells owners of wallets which credit will expire. */
  noticeExpiries(): Promise<void>;
  /** Notifies users of retiring models. */
  announceRetiring(): Promise<void>;
  auth: Auth;
  channels: Channels;
  codes: MailCodes;
  factors: Factors;
  failures: FailureLog;
  keyedCalls: KeyedCalls;
  keptAnswers: KeptAnswers;
  captured: Pick<CapturedStore, 'sweep'>;
  ledger: Ledger;
  logs: Logs;
  logHours: LogHours;
  /** Null if the log has no separate database. */
  logMover: Pick<LogMover, 'work'> | null;
  notifier: Notifier;
  payments: Payments;
  plans: Pick<Plans, 'lookAfter'>;
  autoTopUps: Pick<AutoTopUps, 'run'>;
  poller: Pick<TaskPoller, 'run'>;
  pricing: Pricing;
  probe: Probe;
  reratings: Pick<Reratings, 'work'>;
  sales: Pick<Sales, 'releaseExpired'>;
  rounds: Rounds;
  routing: Routing;
  settings: Settings;
  signedReceipts: Pick<SignedReceipts, 'seal'>;
  statements: Pick<Statements, 'sum' | 'sendMails'>;
  attempts: Pick<AttemptCounts, 'flush'>;
  channelHealth: Pick<ChannelHealth, 'expire'>;
  storedResponses: Pick<StoredResponses, 'sweep'>;
  keptParts: Pick<KeptParts, 'sweep'>;
  keptResponses: Pick<KeptResponses, 'sweep'>;
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
