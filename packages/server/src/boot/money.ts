import type { Core, Mails } from './site.ts';
import type { People } from './people.ts';
import { budgetRoutes } from '../http/console/budget.ts';
import { receiptRoutes } from '../http/console/log/index.ts';
import { teamRoutes } from '../http/console/team/index.ts';
import { statementRoutes } from '../http/console/statement.ts';
import { grantRoutes } from '../http/console/wallet/grants.ts';
import { planRoutes } from '../http/console/wallet/plans.ts';
import { walletRoutes } from '../http/console/wallet/index.ts';
import type { MountedRoute } from '../http/implement.ts';
import { type CapturedStore, createCapturedTexts } from '../services/calls/idempotency/index.ts';
import { createReceipts } from '../services/upkeep/logs/index.ts';
import { createNotifier, createWebhookSender, type Notifier } from '../services/site/notify/index.ts';
import { type Budgets, createBudgets } from '../services/money/budgets/index.ts';
import { createSignedReceipts, type SignedReceipts } from '../services/money/receipts/index.ts';
import { createStatements, type Statements } from '../services/money/statements/index.ts';
import { userMark } from '../services/people/accounts/index.ts';
import { authorize } from '../services/people/auth/index.ts';
import { createGrants } from '../services/money/grants/index.ts';
import {
  type AutoTopUps,
  createAutoTopUps,
  createPayments,
  createPlans,
  type Payments,
  type Plans,
} from '../services/money/payments/index.ts';
import { users } from '../store/index.ts';
import { modelMonthRoutes, priceChangeRoutes } from '../http/console/prices/index.ts';
import { randomText } from '../lib/random.ts';
import {
  createModelMonths,
  createRehearsals,
  type ModelMonths,
  type Rehearsals,
} from '../services/money/rehearsal/index.ts';
import { createReratings, type Reratings } from '../services/money/rerating/index.ts';

/** Payments and notifications. */
export interface Money extends PriceChanges {
  payments: Payments;
  plans: Plans;
  autoTopUps: AutoTopUps;
  notifier: Notifier;
  statements: Statements;
  signedReceipts: SignedReceipts;
}

/**
 * Opens payments and notices on the core. From then on, disabled channels are announced, and users get their configured
 * warnings.
 */
export function openMoney(core: Core, { mailer, queue }: Pick<Mails, 'mailer' | 'queue'>): Money {
  const { settings, http, clock, log, env } = core;
  const { db } = core.store;
  const notifier = createNotifier({
    db,
    settings,
    sealer: core.sealer,
    mailer,
    sendWebhook: createWebhookSender({ settings, http }),
    queue,
    limit: { count: env.notifyLimitCount, windowMinutes: env.notifyLimitMinutes },
    clock,
    log,
  });
  core.events.on('channelChanged', (notice) => notifier.channelChanged(notice));
  core.events.on('userChanged', (userId) => notifier.forgetUser(userId));
  const plans = openPlans(core, notifier);
  return {
    payments: createPayments({
      db,
      ledger: core.ledger,
      audit: core.audit,
      plans,
      settings,
      http,
      stripeUrl: env.stripeUrl,
      clock,
      log,
    }),
    plans,
    autoTopUps: openAutoTopUps(core, notifier),
    notifier,
    statements: openStatements(core, mailer),
    signedReceipts: openSignedReceipts(core),
    ...openPriceChanges(core),
  };
}

/** Opens automatic top-up on the core. */
export const openAutoTopUps = (core: Core, notifier: Pick<Notifier, 'autoTopUpFails'>): AutoTopUps =>
  createAutoTopUps({
    ...core,
    db: core.store.db,
    stripeUrl: core.env.stripeUrl,
    notifyFailure: (userId) => notifier.autoTopUpFails(userId),
  });

/** Opens plans on the core. */
export const openPlans = (core: Core, notifier: Pick<Notifier, 'planStops'>): Plans =>
  createPlans({
    db: core.store.db,
    ledger: core.ledger,
    audit: core.audit,
    settings: core.settings,
    http: core.http,
    stripeUrl: core.env.stripeUrl,
    isGroup: (name) => core.pricing.groupRatio(name) !== undefined,
    userMark,
    forgetUser(userId) {
      core.keys.forgetUser(userId);
      core.events.emit('userChanged', userId);
    },
    budgetRules: core.budgetRules,
    notify: (userId, notice) => notifier.planStops(userId, notice),
    clock: core.clock,
    log: core.log,
  });

/** Opens statements on the core. */
export const openStatements = (core: Core, mailer: Mails['mailer']): Statements =>
  createStatements({
    db: core.store.db,
    reports: core.store.reports,
    settings: core.settings,
    sealer: core.sealer,
    mailer,
    audit: core.audit,
    mayRead: (actor, target) => authorize(actor, 'read', target),
    clock: core.clock,
    log: core.log,
  });

/** Opens signed receipts on the core. */
export const openSignedReceipts = (core: Core): SignedReceipts =>
  createSignedReceipts({
    ...core,
    db: core.store.db,
    reports: core.store.reports,
    isAlone: core.store.sqlite !== undefined,
  });

const openBudgets = (core: Core): Budgets =>
  createBudgets({
    db: core.store.db,
    ledger: core.ledger,
    rules: {
      async reload() {
        core.runs.forget();
        core.keys.forgetRuns();
        await core.budgetRules.reload();
      },
    },
    audit: core.audit,
    isGroup: (name) => core.pricing.groupRatio(name) !== undefined,
    clock: core.clock,
  });

/** Texts of captured calls. */
export const openCaptured = ({ store, sealer, clock, node, settings }: Core): CapturedStore =>
  createCapturedTexts({ db: store.db, sealer, clock, node, days: () => settings.get('ContentCaptureDays') });

/** The console calls about money: wallet, payment callbacks, teams, receipts, changes of prices, budgets. */
export const moneyRoutes = (
  core: Core,
  {
    payments,
    plans,
    autoTopUps,
    statements,
  }: Pick<Money, 'payments' | 'plans' | 'autoTopUps' | 'statements'>,
  { teams, tokens }: Pick<People, 'teams' | 'tokens'>,
  changes: PriceChanges = openPriceChanges(core),
): MountedRoute[] => {
  const budgets = openBudgets(core);
  const signed = openSignedReceipts(core);
  return [
    ...walletRoutes({ payments, teams, log: core.log }),
    ...planRoutes({ plans, autoTopUps }),
    ...statementRoutes({ statements, signed, budgets }),
    ...grantRoutes({
      grants: createGrants({ db: core.store.db, reports: core.store.reports, clock: core.clock }),
    }),
    ...teamRoutes({
      teams,
      tokens,
      payments,
      logs: core.logs,
      pricing: core.pricing,
      routing: core.routing,
      findNames: (ids) => users.findNames(core.store.db, ids),
    }),
    ...receiptRoutes({
      receipts: createReceipts({ db: core.store.db, channelName: core.channelName, signed }),
      signed,
      content: { db: core.store.db, captured: openCaptured(core), audit: core.audit },
    }),
    ...priceRoutes(core, changes),
    ...budgetRoutes({ budgets }),
  ];
};

/** Rehearsals of prices, and corrections of past charges. */
export interface PriceChanges {
  rehearsals: Rehearsals;
  reratings: Reratings;
}

/** Opens both on the core; the thread of a rehearsal opens the database by its address. */
export function openPriceChanges(core: Core): PriceChanges {
  const { store, env, settings, clock, log, ledger, audit } = core;
  const rehearsals = createRehearsals({
    store,
    address: { url: env.databaseUrl, logUrl: env.logDatabaseUrl, dataDir: env.dataDir },
    settings,
    newId: () => randomText(16),
    clock,
    log,
  });
  const reratings = createReratings({
    store,
    ledger,
    rehearsals,
    audit,
    sumsHourly: () => settings.get('LogConsumeEnabled') && settings.get('DataExportEnabled'),
    clock,
    log,
  });
  return { rehearsals, reratings };
}

const openMonths = ({ store, env, settings, pricing, clock }: Core): ModelMonths =>
  createModelMonths({
    store,
    address: { url: env.databaseUrl, logUrl: env.logDatabaseUrl, dataDir: env.dataDir },
    settings,
    pricing,
    clock,
  });

/** The console calls about changes of prices. */
export const priceRoutes = (core: Core, changes = openPriceChanges(core)): MountedRoute[] => [
  ...priceChangeRoutes(changes),
  ...modelMonthRoutes({ months: openMonths(core) }),
];
