import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  accounts as accountRows,
  migrate,
  openStore,
  setups,
  type Store,
  users,
} from '../../../store/index.ts';
import { createSetup, type Setup, type SetupDeps } from './index.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
});
afterEach(() => store.close());

const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const deps = (): SetupDeps => ({
  store,
  accounts: {
    async createRoot({ username }, also) {
      const account_id = await accountRows.create(store.db);
      const id = await users.create(store.db, { account_id, username, role: 100, created_time: 1 });
      await also({
        db: store.db,
        at: 1,
        touched: { accounts: new Set(), tokens: new Set(), members: new Set(), budgets: new Set() },
        repeated: false,
        amountText: String,
      });
      return id;
    },
  },
  settings: { setMany: async () => undefined },
  sandbox: { type: 0, models: [] },
  channels: { create: () => Promise.reject(new Error('no provider')) },
  tokens: {
    owner: async () => null,
    create: () => Promise.reject(new Error('no channel')),
  },
  weighSecret: async (_name, _ip, isRight) => isRight(),
  rehearseImport: async () => '',
  version: 'test',
  clock: () => 1_000,
  log,
});

const form = {
  username: 'chief',
  password: 'long enough',
  confirmPassword: 'long enough',
  SelfUseModeEnabled: false,
  DemoSiteEnabled: false,
  sandbox: false,
  token: '',
};
const caller = { ip: '127.0.0.1' };
const withToken = (setup: Setup) => ({ ...form, token: setup.token() ?? '' });

describe('the first start', () => {
  it('requires its token from every address, this machine included', async () => {
    const setup = await createSetup(deps());
    const token = setup.token();
    expect(token).toMatch(/^[0-9A-Za-z]{24}$/);
    for (const address of ['127.0.0.1', '::1', '203.0.113.9'])
      await expect(setup.run(form, { ip: address })).rejects.toMatchObject({
        code: 'setup_token_wrong',
      });
    await expect(setup.run({ ...form, token: ` ${token} ` }, { ip: '203.0.113.9' })).resolves.toBeNull();
    expect(setup.isDone()).toBe(true);
  });

  it('has no token once the site is set up', async () => {
    const setup = await createSetup(deps());
    await setup.run(withToken(setup), caller);
    expect(setup.token()).toBeNull();
    expect((await createSetup(deps())).token()).toBeNull();
  });

  it('counts an imported site with a root as set up, and stores that', async () => {
    const account_id = await accountRows.create(store.db);
    await users.create(store.db, { account_id, username: 'old', role: 100, created_time: 1 });
    expect((await createSetup(deps())).isDone()).toBe(true);
    expect(await setups.find(store.db)).toMatchObject({ version: 'test' });
  });

  it('detects that another process did it', async () => {
    const setup = await createSetup(deps());
    await setups.create(store.db, 'other', 5);
    expect(await setup.state()).toEqual({ status: true });
    await expect(setup.run(withToken(setup), caller)).rejects.toMatchObject({ code: 'setup_done' });
  });

  it('succeeds without the sandbox when that fails', async () => {
    const setup = await createSetup(deps());
    await expect(setup.run({ ...withToken(setup), sandbox: true }, caller)).resolves.toBeNull();
    expect(setup.isDone()).toBe(true);
  });
});
