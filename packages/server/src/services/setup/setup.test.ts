import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accounts as accountRows, migrate, openStore, setups, type Store, users } from '../../store/index.ts';
import { createSetup, type SetupDeps } from './index.ts';

let store: Store;
let printed: Record<string, unknown>[];
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  printed = [];
});
afterEach(() => store.close());

const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: object) => void printed.push({ ...fields }),
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
        touched: { accounts: new Set(), tokens: new Set() },
        repeated: false,
      });
      return id;
    },
  },
  settings: { setMany: async () => undefined },
  makeSandbox: () => Promise.reject(new Error('no provider')),
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

describe('the first start', () => {
  it('takes the printed token from another machine', async () => {
    const setup = await createSetup(deps());
    const token = String(printed[0]?.['setupToken']);
    expect(token).toMatch(/^[0-9A-Za-z]{24}$/);
    await expect(setup.run(form, false)).rejects.toMatchObject({ code: 'setup_token_wrong' });
    await expect(setup.run({ ...form, token: ` ${token} ` }, false)).resolves.toBeNull();
    expect(setup.isDone()).toBe(true);
  });

  it('prints no token once the site is set up', async () => {
    await (await createSetup(deps())).run(form, true);
    printed = [];
    expect((await createSetup(deps())).isDone()).toBe(true);
    expect(printed).toEqual([]);
  });

  it('counts an imported site with a root as set up, and writes that down', async () => {
    const account_id = await accountRows.create(store.db);
    await users.create(store.db, { account_id, username: 'old', role: 100, created_time: 1 });
    expect((await createSetup(deps())).isDone()).toBe(true);
    expect(await setups.find(store.db)).toMatchObject({ version: 'test' });
  });

  it('learns that another process did it', async () => {
    const setup = await createSetup(deps());
    await setups.create(store.db, 'other', 5);
    expect(await setup.state(true)).toEqual({ status: true });
    await expect(setup.run(form, true)).rejects.toMatchObject({ code: 'setup_done' });
  });

  it('stands without the sandbox when that fails', async () => {
    const setup = await createSetup(deps());
    await expect(setup.run({ ...form, sandbox: true }, true)).resolves.toBeNull();
    expect(setup.isDone()).toBe(true);
  });
});
