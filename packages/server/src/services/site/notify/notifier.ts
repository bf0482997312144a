import { type Language, type RetiringModel, role } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { wallTime } from '../../../lib/calendar-windows.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type Db, users } from '../../../store/index.ts';
import { type Settings, siteLanguage } from '../settings/index.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { preferencesOf, type Recipient, type WarningPreferences } from './destination.ts';
import { createFrequency } from './frequency.ts';
import { isPermanentFailure, type Mail, type Mailer } from './mailer.ts';
import {
  autoTopUpFails,
  budgetShare,
  type ChannelChange,
  channelChanged,
  creditEnds,
  fillHtml,
  fillText,
  lowQuota,
  modelsRetire,
  planStops,
  testsFinished,
} from './templates.ts';
import { type Destination, type Notice, type NoticeIn, PermanentFailure } from './types.ts';
import { webhookCall, type WebhookSender } from './webhook.ts';

/** Credit that expires at a moment. */
export interface EndingCredit {
  /** Quota units. */
  amount: number;
  /** Unix seconds. */
  expiresAt: number;
}

/** Effect of a settlement on a balance, in quota units. */
export interface SettledBalance {
  userId: number;
  /** Taken from the balance. */
  charged: number;
  /** The remaining balance. */
  balance: number;
  /** Set for the wallet of a team, owned by `userId`. */
  team?: { id: number; name: string } | null;
}

/** Notifies people by mail or webhook. Never waits and never throws. */
export interface Notifier {
  /** Warns a user with a balance below the threshold (docs/compatibility.md#notices). */
  afterSettle: (settled: SettledBalance) => void;
  /** Notifies root that a channel was disabled or enabled automatically. */
  channelChanged(change: ChannelChange): void;
  /** Notifies a user that models which they use will be shut down. */
  modelsRetire(userId: number, models: readonly RetiringModel[]): void;
  /** Notifies a user that a budget has reached a share of its amount, in percent. */
  budgetShare(userId: number, budget: { id: number; name: string; share: number }): void;
  /**
   * Tells a user which credit of their wallet, or of their organisation's, expires when. Resolves when it is delivered,
   * or can never be; rejects if it may be delivered later.
   */
  creditEnds(
    userId: number,
    ending: readonly EndingCredit[],
    team?: { id: number; name: string },
  ): Promise<void>;
  /** Notifies a user that a subscription has ended, or that its payment failed. */
  planStops(userId: number, notice: Parameters<typeof planStops>[0]): void;
  /** Notifies a user that an automatic top-up failed and is off. */
  autoTopUpFails(userId: number): void;
  /** Notifies root that the test of all channels has ended. */
  testsFinished(): void;
  /** Called after a user changed their settings or their address: the next warning uses the new ones. */
  forgetUser(userId: number): void;
}

interface NotifierDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  /** Decrypts the secrets of users' webhooks. */
  sealer: Sealer;
  mailer: Pick<Mailer, 'send'>;
  sendWebhook: WebhookSender;
  queue: Pick<DeliveryQueue, 'add'>;
  /**
   * NOTIFY_LIMIT_COUNT notices of a kind to a user within NOTIFICATION_LIMIT_DURATION_MINUTE
   * (docs/compatibility.md#environment).
   */
  limit: { count: number; windowMinutes: number };
  clock: Clock;
  log: Log;
}

/** Low-quota mails to a user: one in two hours. */
const mailPauseMs = 7_200_000;

/** Opens the notifier. */
export const createNotifier = (deps: NotifierDeps): Notifier => {
  const { db, settings, log } = deps;
  const read = (user: Recipient): WarningPreferences => preferencesOf(deps.sealer, user);
  const preferences = createPreferenceCache((id) => users.find(db, id), read, deps.clock);
  const post = createPost(deps);

  const warn = (
    { userId, balance, team }: SettledBalance,
    preferences: WarningPreferences | undefined,
  ): void => {
    if (!preferences || balance >= (preferences.threshold ?? settings.get('QuotaRemindThreshold'))) return;
    const amount = (language: Language): string => amountText(balance, settings, language);
    const link = team ? teamLink(settings, team.id) : topUpLink(settings);
    post(userId, lowQuota(amount, link, team?.name), preferences, mailPauseMs);
  };
  const notifyRoot = (notice: NoticeIn): void => {
    users.withRole(db, role.root).then(
      (roots) => {
        for (const root of roots) post(root.id, notice, read(root), 0);
      },
      (error: unknown) => log.warn({ err: error, type: notice('en').type }, 'root could not be told'),
    );
  };

  const notifyUser = (userId: number, notice: NoticeIn): void => {
    users.find(db, userId).then(
      (user) => user && post(userId, notice, read(user), 0),
      (error: unknown) =>
        log.warn({ err: error, userId, type: notice('en').type }, 'a user could not be told'),
    );
  };

  return {
    afterSettle(settled) {
      if (settled.charged <= 0) return;
      preferences.get(settled.userId).then(
        (found) => warn(settled, found),
        (error: unknown) => log.warn({ err: error, userId: settled.userId }, 'a user could not be warned'),
      );
    },
    channelChanged: (change) => notifyRoot(channelChanged(change)),
    modelsRetire: (userId, models) => notifyUser(userId, modelsRetire(models)),
    budgetShare: (userId, budget) => notifyUser(userId, budgetShare(budget)),
    planStops: (userId, notice) => notifyUser(userId, planStops(notice)),
    autoTopUpFails: (userId) => notifyUser(userId, autoTopUpFails),
    async creditEnds(userId, ending, team) {
      const user = await users.find(db, userId);
      if (!user) return;
      const { destination: to, language = siteLanguage(settings) ?? 'zh' } = read(user);
      if (to.kind === 'none') return;
      const zone = settings.get('AlarmTimeZone');
      const parts = ending.map(({ amount, expiresAt }) => ({
        amount: amountText(amount, settings, language),
        until: `${wallTime(zone, expiresAt)} (${zone})`,
      }));
      const link = team ? teamLink(settings, team.id) : topUpLink(settings);
      const sending = deliver(deps, creditEnds(parts, link, team?.name)(language), to)();
      await sending.catch((error: unknown) => {
        if (!(error instanceof PermanentFailure)) throw error;
        log.warn({ err: error, userId }, 'a notice of an expiry cannot be delivered');
      });
    },
    testsFinished: () => notifyRoot(testsFinished),
    forgetUser: (userId) => preferences.forget(userId),
  };
};

type Post = (userId: number, notice: NoticeIn, preferences: WarningPreferences, mailPauseMs: number) => void;

/** Adds notices to the queue, within the limits. */
function createPost(deps: NotifierDeps): Post {
  const { queue, limit, clock, log } = deps;
  const frequency = createFrequency(deps.db, clock);
  const usual = { count: limit.count, windowMs: limit.windowMinutes * 60_000 };

  const send = async (
    userId: number,
    write: NoticeIn,
    preferences: WarningPreferences,
    pauseMs: number,
  ): Promise<void> => {
    const to = preferences.destination;
    if (to.kind === 'none') return;
    const notice = write(preferences.language ?? siteLanguage(deps.settings) ?? 'zh');
    const name = `${userId}:${notice.type}`;
    const mailName = `mail:${name}`;
    const pauses = to.kind === 'email' && pauseMs > 0;
    if (pauses && !(await frequency.allow(mailName, { count: 1, windowMs: pauseMs }))) return;
    if (!(await frequency.allow(name, usual))) return;
    const about = { notice: notice.type, userId, by: to.kind };
    // A mail that was not sent must not suppress the next warning for two hours.
    const gaveUp = (): void => void (to.kind === 'email' && frequency.forget(mailName));
    queue.add({ about, send: deliver(deps, notice, to), gaveUp });
  };
  return (userId, notice, preferences, pauseMs) => {
    send(userId, notice, preferences, pauseMs).catch((error: unknown) =>
      log.warn(
        { err: error, userId, type: notice('en').type },
        'a notice could not be counted and was not sent',
      ),
    );
  };
}

/** The delivery of a notice. Each run of it is an attempt of the same message. */
function deliver(
  { mailer, sendWebhook, clock }: Pick<NotifierDeps, 'mailer' | 'sendWebhook' | 'clock'>,
  notice: Notice,
  to: Exclude<Destination, { kind: 'none' }>,
): () => Promise<void> {
  if (to.kind === 'webhook') {
    const call = webhookCall(notice, to, seconds(clock));
    return () => sendWebhook(call, to.secret);
  }
  const mail = { to: to.to, subject: notice.title, html: fillHtml(notice), text: fillText(notice) };
  return () => sendOrGiveUp(mailer, mail);
}

async function sendOrGiveUp(mailer: Pick<Mailer, 'send'>, mail: Mail): Promise<void> {
  try {
    await mailer.send(mail);
  } catch (error) {
    throw isPermanentFailure(error) ? new PermanentFailure('the mail cannot be sent', error) : error;
  }
}

/** The address for users' top-ups; '' if the site's address is not set. */
function topUpLink(settings: Pick<Settings, 'get'>): string {
  const address = settings.get('ServerAddress');
  return address === '' ? '' : `${address}/topup`;
}

/** The address for filling a team's wallet; '' if the site's address is not set. */
function teamLink(settings: Pick<Settings, 'get'>, teamId: number): string {
  const address = settings.get('ServerAddress');
  return address === '' ? '' : `${address}/organisations/${teamId}`;
}

/** An amount without its unit's name (docs/compatibility.md#amount-text). */
const amountText = (quota: number, settings: Pick<Settings, 'get'>, language: Language): string =>
  settings.get('DisplayInCurrencyEnabled')
    ? `${language === 'zh' ? '＄' : '$'}${(quota / settings.get('QuotaPerUnit')).toFixed(6)}`
    : String(quota);

/** Users' preferences, cached for a minute: settlements read them far more often than they change. */
interface PreferenceCache {
  /** Undefined for an unknown user, or if too many lookups are running. */
  get(userId: number): Promise<WarningPreferences | undefined>;
  forget(userId: number): void;
}

const rememberMs = 60_000;
/** Maximum number of cached users, and of simultaneous lookups. */
const maxUsers = 10_000;
const maxLookups = 50;

/** Caches the results of `find`, parsed by `read`. */
function createPreferenceCache(
  find: (userId: number) => Promise<Recipient | undefined>,
  read: (user: Recipient) => WarningPreferences,
  clock: Clock,
): PreferenceCache {
  const known = new Map<number, { preferences: WarningPreferences | undefined; at: number }>();
  const lookups = new Map<number, Promise<WarningPreferences | undefined>>();

  const lookUp = async (userId: number): Promise<WarningPreferences | undefined> => {
    try {
      const user = await find(userId);
      const preferences = user && read(user);
      known.delete(userId);
      known.set(userId, { preferences, at: clock() });
      if (known.size > maxUsers) known.delete(known.keys().next().value!);
      return preferences;
    } finally {
      lookups.delete(userId);
    }
  };

  return {
    async get(userId) {
      const entry = known.get(userId);
      if (entry && Math.abs(clock() - entry.at) < rememberMs) return entry.preferences;
      const running = lookups.get(userId);
      if (running) return running;
      // The next settlement retries; a warning does not justify a queue at the database.
      if (lookups.size >= maxLookups) return undefined;
      const lookup = lookUp(userId);
      lookups.set(userId, lookup);
      return lookup;
    },
    forget(userId) {
      known.delete(userId);
    },
  };
}
