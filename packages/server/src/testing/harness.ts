import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { role } from '@tollgate/contract';
import { openConsole, openProbe, operatorRoutes } from '../boot/upkeep.ts';
import { closeCore, type Core, openCore, type Mails, openMails } from '../boot/site.ts';
import { openPeople, type People } from '../boot/people.ts';
import { openCache } from '../cache/index.ts';
import { readEnv } from '../boot/env.ts';
import type { ConsoleApp } from '../http/app.ts';
import { createClientReader } from '../http/context.ts';
import type { MountedRoute } from '../http/implement.ts';
import { checkBooks, type Finding } from '../services/money/ledger/index.ts';
import { layMigratedFile } from '../store/migrated-file.ts';
import { users } from '../store/index.ts';
import { testEngine } from './test-engine.ts';
import { type Agent, createAgent } from './agent.ts';

/** A site without a mail server. */
export const noMail: Mails['mailer'] = {
  configured: () => false,
  send: () => Promise.reject(new Error('no mail server')),
};

/** Password of all users in tests. */
export const testPassword = 'correct horse battery';

interface PersonOptions {
  role: number;
  /** Initial balance in quota units. */
  quota: number;
  group: string;
}

/** The console on a real store, with an adjustable clock. */
export interface House {
  core: Core;
  people: People;
  mails: Mails;
  app: ConsoleApp;
  /** Current time in Unix milliseconds. Tests may change it. */
  time: { ms: number };
  /** An agent that is not signed in. */
  guest: Agent;
  /** Creates a user, signs them in and returns their agent. */
  person(username: string, options?: Partial<PersonOptions>): Promise<Agent>;
  /** Signs in an existing user. */
  signIn(username: string, password?: string): Promise<Agent>;
  /** Findings of the ledger check. Must be empty. */
  findings(): Promise<Finding[]>;
  close(): Promise<void>;
}

export interface HouseOptions {
  env?: Record<string, string>;
  /** Additional console calls, from the core's services. */
  routes?: (core: Core, people: People) => readonly MountedRoute[];
}

const env = {
  LOG_LEVEL: 'silent',
  SECRET_KEY: 'a test master key of 32 characters!',
  GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
  GLOBAL_WEB_RATE_LIMIT_ENABLE: 'false',
  CRITICAL_RATE_LIMIT_ENABLE: 'false',
};

/** Administrator calls, with channel tests that report no progress: `openHouse({ routes: operatorCalls })`. */
export const operatorCalls = (core: Core): MountedRoute[] =>
  operatorRoutes(
    core,
    openProbe(core, () => undefined),
  );

/** Opens a console for tests, on SQLite in a folder of its own unless DATABASE_URL is set. */
export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-house-'));
  const time = { ms: Date.UTC(2026, 10, 21) };
  const clock = (): number => time.ms;
  const asked = readEnv({ DATA_DIR: dataDir, HTTP_ENGINE: testEngine, ...env, ...options.env });
  if (asked.databaseUrl === '') await layMigratedFile(join(asked.dataDir, 'tollgate.db'));
  const core = await openCore(asked, clock);
  const mails = openMails(core);
  const people = await openPeople(core, {
    version: 'test',
    mails,
    passwordCost: { memory: 64, passes: 2, parallelism: 1 },
  });
  const cache = await openCache({ redisUrl: '', clock, onError: () => undefined });
  const app = await openConsole(core, people, {
    clients: createClientReader([]),
    cache,
    routes: options.routes?.(core, people) ?? [],
    webRoot: join(dataDir, 'no-console'),
  });
  const guest = createAgent(app);
  const signIn = async (username: string, password = testPassword): Promise<Agent> => {
    const agent = createAgent(app);
    await agent.signIn(username, password);
    return agent;
  };
  return {
    core,
    people,
    mails,
    app,
    time,
    guest,
    signIn,
    async person(username, wanted) {
      await addPerson({ core, people }, username, {
        role: role.common,
        quota: 0,
        group: 'default',
        ...wanted,
      });
      return signIn(username);
    },
    findings: () => checkBooks(core.store.db),
    async close() {
      await app.close();
      await mails.queue.close();
      await cache.close();
      await closeCore(core);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates a user only through the services, so the ledger checks and rules apply. */
async function addPerson(
  { core, people }: Pick<House, 'core' | 'people'>,
  username: string,
  wanted: PersonOptions,
): Promise<void> {
  const creator = { id: 0, username: 'test', role: role.root };
  await people.accounts.createUser(creator, { username, password: testPassword, displayName: username });
  const found = await people.accounts.find(creator, {
    page: 1,
    pageSize: 100,
    keyword: username,
    group: '',
  });
  const user = found.items.find((each) => each.username === username);
  if (!user) throw new Error(`${username} was not made`);
  const requestId = `make-${username}`;
  await people.accounts.edit(creator, user.id, { group: wanted.group, quota: wanted.quota }, requestId);
  if (wanted.role !== role.common) await users.update(core.store.db, user.id, { role: wanted.role });
}
