import { AppError } from '@tollgate/contract';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { createApp } from '../../http/app.ts';
import { createClientReader } from '../../http/context.ts';
import { planRoutes } from '../../http/console/wallet/plans.ts';
import { walletRoutes } from '../../http/console/wallet/index.ts';
import { createHttp, type Http } from '../../lib/outbound/http.ts';
import type { Log } from '../../lib/log.ts';
import { createSealer } from '../../lib/seal.ts';
import { type BudgetRules, createBudgetRules } from '../../services/money/budgets/index.ts';
import { createLedger, type Ledger } from '../../services/money/ledger/index.ts';
import {
  type AutoTopUps,
  createAutoTopUps,
  createPayments,
  createPlans,
  type Payments,
  type Plans,
} from '../../services/money/payments/index.ts';
import { createSettings, type Settings } from '../../services/site/settings/index.ts';
import { accounts, inTransaction, options, type Store, users } from '../../store/index.ts';
import { startPaySimulator, type PaySimulator } from '../upstream/pay-simulator.ts';
import { startStripeSimulator, type StripeSimulator } from '../upstream/stripe-simulator.ts';
import { createAudit } from '../../services/site/audit/index.ts';

/** Content of a log line. */
interface LogLine {
  level: 'warn' | 'error';
  fields: Record<string, unknown>;
  message: string;
}

/** The wallet services on a real port, with a fake payment provider. */
export interface WalletWorld {
  store: Store;
  settings: Settings;
  ledger: Ledger;
  payments: Payments;
  plans: Plans;
  budgetRules: BudgetRules;
  autoTopUps: AutoTopUps;
  /** Notices about subscriptions, in order. */
  notices: { userId: number; reason: string }[];
  provider: PaySimulator;
  stripe: StripeSimulator;
  /** Warnings and errors, in order. */
  lines: LogLine[];
  /** Unix milliseconds; tests move it. */
  clock: { now: number };
  /** Replaces the next crediting until set to null, to simulate a database failure. */
  fault: {
    crediting: (() => Promise<never>) | null;
    /** How the next transaction about a subscription ends: as after a kill before or after its commit. */
    change?: 'rolled back' | 'committed' | undefined;
  };
  /** Adds a user with an empty balance; returns the user id. */
  user(name: string, group?: string): Promise<number>;
  balance(userId: number): Promise<number>;
  /** Makes a call as this user. */
  call(
    userId: number,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Record<string, unknown>>;
  /** Opens an order and submits it to the provider, as the console does; returns the trade number. */
  order(userId: number, amount: number, method?: string): Promise<string>;
  close(): Promise<void>;
}

function collectingLog(lines: LogLine[]): Log {
  const keep = (level: LogLine['level']) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message });
  return { debug: () => undefined, info: () => undefined, warn: keep('warn'), error: keep('error') };
}

/** Master key of all worlds of a test run. The processes of one site share it. */
const sealer = createSealer(randomBytes(32));

const openSettings = (store: Store, log: Log): Promise<Settings> =>
  createSettings({
    options: {
      all: () => options.all(store.db),
      put: (rows) =>
        inTransaction(store.db, async (db) => {
          for (const { key, value } of rows) await options.put(db, key, value);
        }),
    },
    sealer,
    log,
    clock: Date.now,
  });

const membership = () => Promise.reject(new AppError('team_not_found'));

/** Authenticates callers by user id: `Bearer <id>`. */
async function openApp(
  store: Store,
  {
    payments,
    plans,
    autoTopUps,
    log,
    webRoot,
  }: Pick<Parts, 'payments' | 'plans' | 'autoTopUps' | 'log'> & { webRoot: string },
): Promise<FastifyInstance> {
  const app = await createApp({
    routes: [...walletRoutes({ payments, teams: { membership }, log }), ...planRoutes({ plans, autoTopUps })],
    auth: {
      bySession: async () => null,
      async byAccessToken(token) {
        const row = await users.find(store.db, Number(token));
        if (!row) return null;
        const { id, username, role, status, group } = row;
        return {
          actor: { id, username, role, status, group },
          credential: { kind: 'access-token', scope: 'all' },
        };
      },
    },
    clients: createClientReader([]),
    limit: async () => undefined,
    isDemoFor: () => false,
    audit: createAudit({ db: store.db, reports: store.db, clock: Date.now }),
    checkHuman: async () => undefined,
    meetDemand: async () => undefined,
    membership,
    serverAddress: () => '',
    outsideSources: () => ({ scripts: [], frames: [] }),
    siteLanguage: () => undefined,
    webRoot,
    maxBodyBytes: 100_000,
    clock: Date.now,
    log,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app;
}

const fetchAs =
  (origin: string): WalletWorld['call'] =>
  async (userId, method, path, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${userId}`,
        'new-api-user': String(userId),
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };

/** Users of a world and their balances. */
const people = ({ db }: Store): Pick<WalletWorld, 'user' | 'balance'> => ({
  async user(username, group = 'default') {
    const account_id = await accounts.create(db);
    return users.create(db, { account_id, username, group, created_time: 1 });
  },
  async balance(userId) {
    return (await users.view(db, userId))?.balance ?? 0;
  },
});

interface Parts extends Pick<
  WalletWorld,
  | 'store'
  | 'settings'
  | 'lines'
  | 'clock'
  | 'fault'
  | 'ledger'
  | 'payments'
  | 'plans'
  | 'budgetRules'
  | 'autoTopUps'
  | 'notices'
> {
  log: Log;
  http: Http;
}

/** All services behind the wallet's calls. */
async function openParts(store: Store, stripeUrl: string, given?: Ledger): Promise<Parts> {
  const lines: LogLine[] = [];
  const log = collectingLog(lines);
  const clock = { now: 1_790_000_000_000 };
  const settings = await openSettings(store, log);
  const http = createHttp();
  const ledger =
    given ?? createLedger({ store, log, clock: () => clock.now, node: `wallet-${(nodes += 1)}` });
  const fault: WalletWorld['fault'] = { crediting: null };
  const audit = createAudit({ db: store.db, reports: store.db, clock: () => clock.now });
  const notices: WalletWorld['notices'] = [];
  const budgetRules = await createBudgetRules({ db: store.db, clock: () => clock.now });
  const plans = createPlans({
    db: store.db,
    ledger: {
      async change(work) {
        const killed = fault.change;
        fault.change = undefined;
        const done = await ledger.change(async (context) => {
          const result = await work(context);
          if (killed === 'rolled back') throw new Error('killed before the commit');
          return result;
        });
        if (killed) throw new Error('killed after the commit');
        return done;
      },
    },
    audit,
    settings,
    http,
    stripeUrl,
    isGroup: (name) => name !== 'unknown',
    userMark: (id) => `user:${id}`,
    forgetUser: () => undefined,
    budgetRules,
    notify: (userId, { reason }) => void notices.push({ userId, reason }),
    clock: () => clock.now,
    log,
  });
  const payments = createPayments({
    db: store.db,
    plans,
    ledger: {
      redeem: (code) => ledger.redeem(code),
      refundTopUp: (input) => ledger.refundTopUp(input),
      completeTopUp: (paid) => (fault.crediting ? fault.crediting() : ledger.completeTopUp(paid)),
    },
    settings,
    audit,
    http,
    stripeUrl,
    clock: () => clock.now,
    log,
  });
  const autoTopUps = createAutoTopUps({
    db: store.db,
    ledger: { completeTopUp: (paid) => (fault.crediting ? fault.crediting() : ledger.completeTopUp(paid)) },
    audit,
    settings,
    http,
    stripeUrl,
    notifyFailure: (userId) => void notices.push({ userId, reason: 'auto' }),
    clock: () => clock.now,
    log,
  });
  return {
    store,
    settings,
    lines,
    clock,
    fault,
    ledger,
    payments,
    plans,
    budgetRules,
    autoTopUps,
    notices,
    log,
    http,
  };
}

/** Number of worlds in this test run. Each one is a separate process for the database. */
let nodes = 0;

/** A second process on a world's database, with the same settings and with its own connections, ledger and memory. */
export async function openSecondNode(
  store: Store,
  stripeUrl = 'http://127.0.0.1:9',
): Promise<Pick<WalletWorld, 'payments' | 'plans' | 'autoTopUps' | 'clock' | 'settings' | 'close'>> {
  const { payments, plans, autoTopUps, clock, settings, ledger, http } = await openParts(store, stripeUrl);
  return {
    payments,
    plans,
    autoTopUps,
    clock,
    settings,
    async close() {
      await ledger.close();
      await http.close();
    },
  };
}

/**
 * Opens the wallet on an empty, migrated store, with the provider configured and listening. A given ledger belongs to the
 * console process and stays open at the end.
 */
export async function openWalletWorld(store: Store, given?: Ledger): Promise<WalletWorld> {
  const stripe = await startStripeSimulator(() => parts.clock.now);
  const { log, http, ...parts } = await openParts(store, stripe.url, given);
  const provider = await startPaySimulator();
  const webRoot = await mkdtemp(join(tmpdir(), 'tollgate-wallet-'));
  await writeFile(join(webRoot, 'index.html'), '<!doctype html>');
  const app = await openApp(store, { ...parts, log, webRoot });
  const origin = app.listeningOrigin;
  await parts.settings.setMany({
    PayAddress: provider.url,
    EpayId: provider.merchantId,
    EpayKey: provider.key,
    ServerAddress: origin,
    'stripe.secret_key': stripe.key,
    'stripe.webhook_secret': stripe.webhookSecret,
    'stripe.enabled': 'true',
  });
  const call = fetchAs(origin);
  return {
    ...parts,
    ...people(store),
    provider,
    stripe,
    call,
    async order(userId, amount, method = 'zfb') {
      const answer = await call(userId, 'POST', '/api/user/pay', { amount, payment_method: method });
      const fields = answer.data as Record<string, string>;
      const status = await provider.submit(String(answer.url), fields);
      if (status !== 200) throw new Error(`the provider refused the order: ${JSON.stringify(answer)}`);
      return fields.out_trade_no ?? '';
    },
    async close() {
      await app.close();
      if (!given) await parts.ledger.close();
      await http.close();
      await provider.close();
      await stripe.close();
      await rm(webRoot, { recursive: true, force: true });
    },
  };
}
