import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError, publicSettings } from '@tollgate/contract';
import { createSealer } from '../../../lib/seal.ts';
import { inTransaction, migrate, openStore, type Store } from '../../../store/index.ts';
import { createSettings, type OptionStore, type Settings } from './index.ts';
import type { SettingsDeps } from './types.ts';

let store: Store;
let now = 1_000_000;
const sealer = createSealer(randomBytes(32));
const complaints: object[] = [];
const quiet = () => undefined;
const log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (fields: object) => void complaints.push(fields),
};

/** The same options table that boot passes in. */
const options: OptionStore = {
  all: () => store.db.selectFrom('options').selectAll().execute(),
  put: (rows) =>
    inTransaction(store.db, async (db) => {
      for (const row of rows) {
        await db.deleteFrom('options').where('key', '=', row.key).execute();
        await db.insertInto('options').values(row).execute();
      }
    }),
};
const open = (parts: Partial<SettingsDeps> = {}): Promise<Settings> =>
  createSettings({ options, sealer, log, clock: () => now, ...parts });
const storedText = async (key: string): Promise<string | undefined> =>
  (await options.all()).find((row) => row.key === key)?.value;
const readCode = async (saving: Promise<void>): Promise<string> => {
  const error: unknown = await saving.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof AppError ? error.code : String(error);
};

beforeEach(async () => {
  complaints.length = 0;
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
});
afterEach(() => store.close());

describe('a default that changes on a day', () => {
  const day = Date.parse('2026-12-01T00:00:00Z');
  const argon = (settings: Settings) => settings.get('ModelRatio')['gemini-4-argon'];
  afterEach(() => {
    now = 1_000_000;
  });

  it('is in force when the day has begun, and listeners are notified', async () => {
    now = day - 1;
    const settings = await open();
    const heard: string[][] = [];
    settings.onChange((changed) => heard.push([...changed]));
    await settings.renew();
    expect([argon(settings), heard]).toEqual([1, []]);
    now = day;
    await settings.renew();
    await settings.renew();
    expect([argon(settings), heard]).toEqual([2, [['ModelRatio']]]);
    expect(settings.list().find(({ key }) => key === 'ModelRatio')?.value).toContain('"gemini-4-argon": 2');
    expect(argon(await open())).toBe(2);
  });

  it('leaves a changed table alone, and a reset table is that of the day', async () => {
    now = day - 1;
    const settings = await open();
    await settings.set('ModelRatio', '{"gemini-4-argon": 1}');
    now = day;
    await settings.renew();
    expect(argon(settings)).toBe(1);
    await settings.reset('ModelRatio');
    expect(argon(settings)).toBe(2);
  });
});

describe('settings', () => {
  it('are in force at once, typed, and after a restart', async () => {
    const settings = await open();
    expect(settings.get('RetryTimes')).toBe(0);
    await settings.set('RetryTimes', '3');
    await settings.set('GroupRatio', '{"default":1,"gold":0.5}');
    expect(settings.get('RetryTimes')).toBe(3);
    const again = await open();
    expect(again.get('RetryTimes')).toBe(3);
    expect(again.get('GroupRatio')).toEqual({ default: 1, gold: 0.5 });
  });

  it('keep the last good value when a text is invalid', async () => {
    const settings = await open();
    await settings.set('ModelRatio', '{"gpt-4o":1}');
    expect(await readCode(settings.set('ModelRatio', '{"gpt-4o":'))).toBe('setting_not_json');
    expect(await readCode(settings.set('GroupRatio', '{"vip":-1}'))).toBe('group_ratio_negative');
    expect(settings.get('ModelRatio')).toEqual({ 'gpt-4o': 1 });
    expect(await storedText('ModelRatio')).toBe('{"gpt-4o":1}');
    expect(await storedText('GroupRatio')).toBeUndefined();
  });

  it('are saved together or not at all', async () => {
    const settings = await open();
    expect(await readCode(settings.setMany({ RetryTimes: '2', Price: 'x' }))).toBe('setting_not_number');
    expect(settings.get('RetryTimes')).toBe(0);
    expect(await options.all()).toEqual([]);
  });

  it('are not in force when the database refused them', async () => {
    const settings = await createSettings({
      options: { all: () => options.all(), put: () => Promise.reject(new Error('disk full')) },
      sealer,
      log,
      clock: () => now,
    });
    expect(await readCode(settings.set('RetryTimes', '3'))).toContain('disk full');
    expect(settings.get('RetryTimes')).toBe(0);
  });

  it('survive an invalid row in the table', async () => {
    await options.put(
      [
        { key: 'RetryTimes', value: 'many' },
        { key: 'Price', value: '6.5' },
      ],
      [],
    );
    const settings = await open();
    expect(settings.get('RetryTimes')).toBe(0);
    expect(settings.get('Price')).toBe(6.5);
    expect(complaints).toHaveLength(1);
    await settings.set('RetryTimes', '4');
    await options.put([{ key: 'RetryTimes', value: 'many' }], []);
    await settings.reload();
    expect(settings.get('RetryTimes')).toBe(4);
  });

  it('load what another process saved on reload, and notify listeners', async () => {
    const here = await open();
    const there = await open();
    const heard = vi.fn<(changed: ReadonlySet<string>) => void>();
    const stop = here.onChange(heard);
    await there.setMany({ RetryTimes: '5', Price: '7' });
    expect(here.get('RetryTimes')).toBe(0);
    await here.reload();
    expect(here.get('RetryTimes')).toBe(5);
    expect(heard).toHaveBeenCalledWith(new Set(['RetryTimes', 'Price']));
    await here.reload();
    await here.set('RetryTimes', '5');
    expect(heard).toHaveBeenCalledTimes(1);
    stop();
    await here.set('RetryTimes', '6');
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('notify every listener, also after one of them failed', async () => {
    const settings = await open();
    const second = vi.fn<() => void>();
    settings.onChange(() => {
      throw new Error('broken listener');
    });
    settings.onChange(second);
    await settings.set('RetryTimes', '1');
    expect(second).toHaveBeenCalledTimes(1);
  });

  it('can be reset to their default', async () => {
    const settings = await open();
    const before = settings.get('ModelRatio');
    await settings.set('ModelRatio', '{}');
    await settings.reset('ModelRatio');
    expect(settings.get('ModelRatio')).toEqual(before);
  });

  it('return their public part as the status declares it', async () => {
    const settings = await open();
    await settings.set('SystemName', '收费站');
    const status = settings.publicStatus();
    expect(publicSettings.strict().parse(status)).toEqual(status);
    expect(status.system_name).toBe('收费站');
    await settings.set('SystemName', 'Gate');
    expect(settings.publicStatus().system_name).toBe('Gate');
  });
});

describe('a toggle that needs a credential', () => {
  it.each([
    ['GitHubOAuthEnabled', 'GitHubClientId', 'id', 'github_not_configured'],
    ['oidc.enabled', 'oidc.client_id', 'id', 'oidc_not_configured'],
    ['LinuxDOOAuthEnabled', 'LinuxDOClientId', 'id', 'linuxdo_not_configured'],
    ['WeChatAuthEnabled', 'WeChatServerAddress', 'https://wx.example', 'wechat_not_configured'],
    ['TelegramOAuthEnabled', 'TelegramBotToken', 'token', 'telegram_not_configured'],
  ] as const)('%s is refused without %s and accepted with it', async (toggle, credential, text, code) => {
    const settings = await open();
    expect(await readCode(settings.set(toggle, 'true'))).toBe(code);
    expect(settings.get(toggle)).toBe(false);
    await settings.set(toggle, 'false');
    await settings.setMany({ [toggle]: 'true', [credential]: text });
    expect(settings.get(toggle)).toBe(true);
  });

  it('TurnstileCheckEnabled is refused without both of its keys', async () => {
    const settings = await open();
    for (const key of ['TurnstileSiteKey', 'TurnstileSecretKey']) {
      expect(await readCode(settings.set('TurnstileCheckEnabled', 'true'))).toBe('turnstile_not_configured');
      await settings.set(key, 'key');
    }
    await settings.set('TurnstileCheckEnabled', 'true');
    expect(settings.get('TurnstileCheckEnabled')).toBe(true);
  });

  it('EmailDomainRestrictionEnabled is refused while the list is empty', async () => {
    const settings = await open();
    await settings.set('EmailDomainWhitelist', '');
    expect(await readCode(settings.set('EmailDomainRestrictionEnabled', 'true'))).toBe(
      'email_whitelist_empty',
    );
    await settings.set('EmailDomainWhitelist', 'school.example');
    await settings.set('EmailDomainRestrictionEnabled', 'true');
    expect(settings.get('EmailDomainRestrictionEnabled')).toBe(true);
  });
});

it('a setting that the environment disables is off, and may be saved all the same', async () => {
  const overruled = new Set(['TurnstileCheckEnabled']);
  const settings = await open({ overruled });
  await settings.setMany({
    TurnstileSiteKey: 'site',
    TurnstileSecretKey: 'hidden',
    TurnstileCheckEnabled: 'true',
  });
  expect(settings.get('TurnstileCheckEnabled')).toBe(false);
  expect((await open()).get('TurnstileCheckEnabled')).toBe(true);
});

describe('secrets', () => {
  it('are sealed in the table, readable in the process, and never listed', async () => {
    const settings = await open();
    await settings.setMany({ EpayKey: 'epay-s3cret', 'oidc.client_secret': 'oidc-s3cret', EpayId: '1001' });
    const table = JSON.stringify(await options.all());
    expect(table).not.toContain('s3cret');
    expect((await open()).get('EpayKey')).toBe('epay-s3cret');
    expect(JSON.stringify([settings.list(), settings.publicStatus()])).not.toContain('s3cret');
    expect(settings.secretsSet()).toEqual(['EpayKey', 'oidc.client_secret']);
    expect(settings.list()).toContainEqual({ key: 'EpayId', value: '1001' });
    await settings.set('EpayKey', '');
    expect(settings.secretsSet()).toEqual(['oidc.client_secret']);
  });

  it('sealed for one option do not open as another', async () => {
    const settings = await open();
    await settings.set('EpayKey', 'epay-s3cret');
    await options.put([{ key: 'SMTPToken', value: (await storedText('EpayKey')) ?? '' }], []);
    const again = await open();
    expect(again.get('SMTPToken')).toBe('');
    expect(again.get('EpayKey')).toBe('epay-s3cret');
    expect(complaints).toHaveLength(1);
  });

  it('are deleted when the address they belong to changes (security A8)', async () => {
    const settings = await open();
    await settings.setMany({ WeChatServerAddress: 'https://wx.example', WeChatServerToken: 's3cret' });
    now += 3_600_000;
    await settings.set('WeChatServerAddress', 'https://wx.example/');
    expect(settings.get('WeChatServerToken')).toBe('s3cret');
    await settings.set('WeChatServerAddress', 'https://evil.example');
    expect(settings.get('WeChatServerToken')).toBe('');
    expect(await storedText('WeChatServerToken')).toBe('');
  });

  it('are kept when they are sent along with the new address, in any order', async () => {
    const settings = await open();
    await settings.setMany({ PayAddress: 'https://old.example', EpayKey: 'old' });
    now += 3_600_000;
    await settings.set('EpayKey', 'new');
    now += 2_000;
    await settings.set('PayAddress', 'https://new.example');
    expect(settings.get('EpayKey')).toBe('new');
    now += 3_600_000;
    await settings.setMany({ PayAddress: 'https://third.example', EpayKey: 'third' });
    expect(settings.get('EpayKey')).toBe('third');
  });

  it('may be saved before there is an address', async () => {
    const settings = await open();
    await settings.set('SMTPToken', 's3cret');
    now += 3_600_000;
    await settings.set('SMTPServer', 'smtp.example');
    expect(settings.get('SMTPToken')).toBe('s3cret');
  });
});

describe('unknown options', () => {
  it('are stored, kept and listed; those named like secrets are sealed and hidden', async () => {
    const settings = await open();
    await settings.setMany({ 'console_setting.faq': '[]', StripeApiSecret: 'sk_live_x' });
    const again = await open();
    expect(again.list()).toContainEqual({ key: 'console_setting.faq', value: '[]' });
    expect(again.list().map((row) => row.key)).not.toContain('StripeApiSecret');
    expect(again.secretsSet()).toEqual(['StripeApiSecret']);
    expect(await storedText('StripeApiSecret')).not.toContain('sk_live_x');
  });

  it.each(['', 'a b', 'x'.repeat(192), '名'])('may not be named %j', async (key) => {
    const settings = await open();
    expect(await readCode(settings.set(key, 'x'))).toBe('setting_key_invalid');
  });

  it('cannot affect the declared ones by their name', async () => {
    const settings = await open();
    await settings.setMany(
      Object.fromEntries([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    );
    expect(settings.get('RetryTimes')).toBe(0);
    expect((await open()).list()).toContainEqual({ key: '__proto__', value: 'x' });
  });
});

describe('saving', () => {
  it('happens in order: of two saves of one option the later one stays, in memory and in the table', async () => {
    const settings = await open();
    await Promise.all(['1', '2', '3'].map((text) => settings.set('RetryTimes', text)));
    expect(settings.get('RetryTimes')).toBe(3);
    expect(await storedText('RetryTimes')).toBe('3');
  });

  it('goes on after a save that failed', async () => {
    const settings = await open();
    const results = await Promise.allSettled([
      settings.set('RetryTimes', 'x'),
      settings.set('RetryTimes', '2'),
    ]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled']);
    expect(settings.get('RetryTimes')).toBe(2);
  });
});

describe('a text that the console shows as Markdown or HTML', () => {
  it.each(['Notice', 'HomePageContent', 'About', 'Footer'] as const)(
    'is sanitized when it is saved: %s',
    async (key) => {
      const settings = await open();
      await settings.set(key, '> a < b\n\n<b onclick="x()">c</b><script>d</script>');
      expect(settings.get(key)).toBe('> a < b\n\n<b>c</b>');
      expect(await storedText(key)).toBe('> a < b\n\n<b>c</b>');
      await settings.set(key, 'https://page.example/?a=1&b=2');
      expect(settings.get(key)).toBe('https://page.example/?a=1&b=2');
    },
  );

  it('is the only kind that is sanitized: other texts may have tags', async () => {
    const settings = await open();
    await settings.set('SensitiveWords', '<script>\n<b onclick=x>');
    expect(settings.list()).toContainEqual({ key: 'SensitiveWords', value: '<script>\n<b onclick=x>' });
  });
});
