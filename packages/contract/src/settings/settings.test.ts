import { describe, expect, expectTypeOf, it } from 'vitest';
import { AppError, errors } from '../errors.ts';
import { publicSettings, statusData } from '../api/status.ts';
import {
  declarationOf,
  isHiddenKey,
  isSettingKey,
  settingGroups,
  settingKeys,
  settingTabs,
  type SettingKey,
  type SettingValue,
} from './index.ts';

/** Every option key of docs/compatibility.md#options. */
const wireKeys = `
  PasswordLoginEnabled PasswordRegisterEnabled RegisterEnabled EmailVerificationEnabled GitHubOAuthEnabled
  LinuxDOOAuthEnabled WeChatAuthEnabled TelegramOAuthEnabled TurnstileCheckEnabled EmailDomainRestrictionEnabled
  EmailAliasRestrictionEnabled EmailDomainWhitelist SMTPServer SMTPAccount SMTPFrom SMTPToken SMTPPort SMTPSSLEnabled
  GitHubClientId GitHubClientSecret LinuxDOClientId LinuxDOClientSecret WeChatServerAddress WeChatServerToken
  WeChatAccountQRCodeImageURL TelegramBotToken TelegramBotName TurnstileSiteKey TurnstileSecretKey oidc.enabled
  oidc.client_id oidc.client_secret oidc.well_known oidc.authorization_endpoint oidc.token_endpoint
  oidc.user_info_endpoint Notice About HomePageContent Footer Logo SystemName ServerAddress WorkerUrl WorkerValidKey
  WorkerAllowHttpImageRequestEnabled PayAddress EpayId EpayKey CustomCallbackAddress TopUpLink Price MinTopUp
  TopupGroupRatio GroupRatio UserUsableGroups Chats QuotaForNewUser QuotaForInviter QuotaForInvitee
  QuotaRemindThreshold PreConsumedQuota QuotaPerUnit RetryTimes ChannelDisableThreshold AutomaticDisableChannelEnabled
  AutomaticEnableChannelEnabled AutomaticDisableKeywords LogConsumeEnabled DisplayInCurrencyEnabled
  DisplayTokenStatEnabled DrawingEnabled TaskEnabled DataExportEnabled DataExportInterval DataExportDefaultTime
  DefaultCollapseSidebar MjNotifyEnabled MjAccountFilterEnabled MjModeClearEnabled MjForwardUrlEnabled
  MjActionCheckSuccessEnabled CheckSensitiveEnabled CheckSensitiveOnPromptEnabled StopOnSensitiveEnabled
  SensitiveWords StreamCacheQueueLength DemoSiteEnabled SelfUseModeEnabled ModelRequestRateLimitEnabled
  ModelRequestRateLimitCount ModelRequestRateLimitDurationMinutes ModelRequestRateLimitSuccessCount
  ModelRequestRateLimitGroup ModelRatio ModelPrice CompletionRatio CacheRatio FileUploadPermission
  FileDownloadPermission ImageUploadPermission ImageDownloadPermission general_setting.docs_link
  general_setting.ping_interval_enabled general_setting.ping_interval_seconds global.pass_through_request_enabled
  claude.model_headers_settings claude.default_max_tokens claude.thinking_adapter_enabled
  claude.thinking_adapter_budget_tokens_percentage gemini.safety_settings gemini.version_settings
  gemini.supported_imagine_models gemini.thinking_adapter_enabled gemini.thinking_adapter_budget_tokens_percentage`
  .trim()
  .split(/\s+/);

/** Parses the value and returns the code of the refusal. */
function refusal(key: SettingKey, text: string): AppError | undefined {
  try {
    declarationOf(key).tidy(text, key);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

describe('the logo', () => {
  it.each([
    '',
    'https://cdn.example/logo.svg',
    'data:image/png;base64,iVBORw0KGgo=',
    'data:image/svg+xml,%3Csvg%3E',
  ])('may be %s', (text) => {
    expect(refusal('Logo', text)).toBeUndefined();
  });

  it.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'http://cdn.example/logo.svg',
    'data:text/html,<script>',
    'data:image/png',
    '//cdn.example/logo.svg',
    'https://',
    'blob:https://x',
  ])('may not be %s', (text) => {
    expect(refusal('Logo', text)?.code).toBe('setting_not_image');
  });
});

describe('the chat links of a new site', () => {
  it('have the key in a fragment, for this site and for programs; stored ones stay readable', () => {
    const declared = declarationOf('Chats');
    const links = ['https://a/#/?k={key}', '{address}/chat?k={key}', 'app://join?k={key}', 'https://a/?b=1'];
    for (const link of links) expect(declared.tidy(JSON.stringify([{ x: link }]), 'Chats')).toContain(link);
    const older = '[{"x":"https://a/?k={key}"}]';
    expect(declared.parse(older, 'Chats')).toEqual([{ x: 'https://a/?k={key}' }]);
  });

  it('send the key to no other server: a fragment stays in the browser, a query does not', () => {
    const chats = declarationOf('Chats').default as readonly Record<string, string>[];
    const links = chats.flatMap((entry) => Object.values(entry));
    expect(links.length).toBeGreaterThan(0);
    const toServers = links.filter((link) => /^https?:/.test(link)).map((link) => link.split('#', 1)[0]);
    expect(toServers.filter((link) => link?.includes('{key}'))).toEqual([]);
  });
});

describe('the declared settings', () => {
  it('are all options of the API, each declared once', () => {
    expect(wireKeys.filter((key) => !isSettingKey(key))).toEqual([]);
    const declared = settingGroups.flatMap((section) => Object.keys(section.settings));
    expect(new Set(declared).size).toBe(declared.length);
    expect(settingKeys.length).toBe(declared.length);
  });

  it.each(settingKeys)('%s: its default survives the round trip through text', (key) => {
    const declared = declarationOf(key);
    const text = declared.format(declared.default);
    expect(declared.parse(text, key)).toEqual(declared.default);
    expect(declared.parse(declared.tidy(text, key), key)).toEqual(declared.default);
  });

  it.each(settingKeys)('%s: has a name and a line of help in both languages', (key) => {
    const { label, help } = declarationOf(key);
    for (const words of [label, help]) {
      expect(words.zh.trim()).not.toBe('');
      expect(words.en.trim()).not.toBe('');
      expect(words.en).not.toMatch(/[\u4e00-\u9fff]/);
    }
  });

  it('are on the five tabs, each section with a title in both languages', () => {
    expect(new Set(settingGroups.map((section) => section.tab))).toEqual(new Set(settingTabs));
    for (const { title } of settingGroups) expect(title.zh !== '' && title.en !== '').toBe(true);
  });

  it('name only declared keys in what they require and guard, and guard only secrets', () => {
    for (const key of settingKeys) {
      const { requires, guards = [] } = declarationOf(key);
      for (const other of requires?.filled ?? []) expect(isSettingKey(other)).toBe(true);
      for (const other of guards) expect(isSettingKey(other) && declarationOf(other).secret).toBe(true);
    }
    const refusals = settingKeys.flatMap((key) => declarationOf(key).requires?.error ?? []);
    expect(refusals.length).toBeGreaterThan(7);
    expect(refusals.filter((code) => !errors[code].zh.startsWith('无法启用'))).toEqual([]);
  });

  it('publish exactly the fields that the status schema declares, and never a secret', () => {
    const published = settingKeys.filter((key) => declarationOf(key).publicAs !== undefined);
    expect(published.filter((key) => declarationOf(key).secret)).toEqual([]);
    const values: Record<string, unknown> = {};
    for (const key of published) values[declarationOf(key).publicAs ?? ''] = declarationOf(key).default;
    expect(publicSettings.strict().safeParse(values).error).toBeUndefined();
    expect(Object.keys(publicSettings.shape).toSorted()).toEqual(Object.keys(values).toSorted());
    expect(Object.keys(statusData.shape)).toEqual(expect.arrayContaining(Object.keys(values)));
  });

  it('hide what is secret or named like a secret', () => {
    const hidden = settingKeys.filter(isHiddenKey).toSorted();
    expect(hidden).toEqual(
      [
        'EpayKey',
        'GitHubClientSecret',
        'GuardHookSecret',
        'LinuxDOClientSecret',
        'SMTPToken',
        'TelegramBotToken',
        'TurnstileSecretKey',
        'TurnstileSiteKey',
        'WeChatServerToken',
        'WorkerValidKey',
        'discord.client_secret',
        'oidc.client_secret',
        'stripe.secret_key',
        'stripe.webhook_secret',
      ].toSorted(),
    );
    expect(isHiddenKey('StripeApiSecret')).toBe(true);
    expect(isHiddenKey('claude.default_max_tokens')).toBe(false);
  });

  it('give each key its own type', () => {
    expectTypeOf<SettingValue<'RetryTimes'>>().toEqualTypeOf<number>();
    expectTypeOf<SettingValue<'DrawingEnabled'>>().toEqualTypeOf<boolean>();
    expectTypeOf<SettingValue<'DataExportDefaultTime'>>().toEqualTypeOf<'hour' | 'day' | 'week'>();
    expectTypeOf<SettingValue<'ModelRatio'>>().toEqualTypeOf<Readonly<Record<string, number>>>();
    expectTypeOf<SettingValue<'EmailDomainWhitelist'>>().toEqualTypeOf<readonly string[]>();
  });
});

describe('an invalid text', () => {
  it.each([
    ['RetryTimes', '1.5', 'setting_not_integer'],
    ['RetryTimes', '', 'setting_not_integer'],
    ['RetryTimes', '-1', 'setting_out_of_range'],
    ['Price', 'seven', 'setting_not_number'],
    ['Price', '1e5', 'setting_not_number'],
    ['DrawingEnabled', 'yes', 'setting_not_boolean'],
    ['DataExportDefaultTime', 'month', 'setting_not_choice'],
    ['ServerAddress', 'javascript:alert(1)', 'setting_not_url'],
    ['ModelRatio', '{', 'setting_not_json'],
    ['ModelRatio', '{"a":"1"}', 'setting_malformed'],
    ['ModelRatio', '{"a":-1}', 'setting_malformed'],
    ['ModelRatio', '{"a":1e999}', 'setting_malformed'],
    ['ModelRatio', '[]', 'setting_malformed'],
    ['TopupGroupRatio', 'x', 'topup_group_ratio_not_json'],
    ['GroupRatio', '{"vip":-0.1}', 'group_ratio_negative'],
    ['ModelRequestRateLimitGroup', '{"vip":[0,0]}', 'rate_limit_group_invalid'],
    ['ModelRequestRateLimitGroup', '{"vip":5}', 'rate_limit_group_invalid'],
    ['Chats', '[{"x":"javascript:alert(1)"}]', 'chats_invalid'],
    ['Chats', '[{"x":"https://a","y":"https://b"}]', 'chats_invalid'],
    ['Chats', '[{"x":"https://chat.example/?key={key}"}]', 'chat_link_sends_key'],
    ['Chats', '[{"x":"https://chat.example/{key}/#/"}]', 'chat_link_sends_key'],
    ['Chats', '[{"x":"http://{key}@chat.example/"}]', 'chat_link_sends_key'],
    [
      'Chats',
      '[{"ok":"https://a/#{key}"},{"x":"HTTPS://chat.example?a=1&k={key}#x"}]',
      'chat_link_sends_key',
    ],
    ['EmailDomainWhitelist', 'gmail', 'email_domain_invalid'],
    ['EmailDomainWhitelist', 'a.com,A.com', 'email_domain_duplicate'],
    ['gemini.version_settings', '{"default":"v1/../x"}', 'setting_malformed'],
    ['claude.model_headers_settings', '{"m":{"x":["a\\r\\nb: c"]}}', 'setting_malformed'],
    ['claude.default_max_tokens', '{"claude-3":4096}', 'setting_malformed'],
    ['SystemName', 'x'.repeat(5_000), 'setting_too_long'],
  ] as const)('%s = %s is refused as %s', (key, text, code) => {
    expect(refusal(key, text)?.code).toBe(code);
  });

  it("is refused with the specification's message", () => {
    expect(refusal('Chats', '{')?.say('en')).toBe('Not a valid JSON string');
    expect(refusal('Chats', '{')?.say('zh')).toBe('不是合法的 JSON 字符串');
    expect(refusal('GroupRatio', '{"a":1,"svip":-1}')?.say('en')).toBe(
      'group ratio must be not less than 0: svip',
    );
    expect(refusal('TopupGroupRatio', '')?.say('zh')).toBe('充值分组倍率不是合法的 JSON 字符串');
  });
});

describe('a valid text', () => {
  it('loses blanks and, for base addresses, the trailing slash', () => {
    const address = declarationOf('ServerAddress');
    expect(address.tidy(' https://x.example/ ', 'ServerAddress')).toBe('https://x.example');
    const docs = declarationOf('general_setting.docs_link');
    expect(docs.tidy('https://x.example/docs/', 'docs')).toBe('https://x.example/docs/');
  });

  it('keeps the layout of JSON as its author wrote it', () => {
    const raw = '{ "a" : 1,\n\n "b":2 }';
    expect(declarationOf('ModelRatio').tidy(raw, 'ModelRatio')).toBe(raw);
  });

  it('may have blank lines and spaces in lists', () => {
    expect(declarationOf('SensitiveWords').parse(' a \r\n\n b', 'SensitiveWords')).toEqual(['a', 'b']);
    const whitelist = declarationOf('EmailDomainWhitelist');
    const siteName = declarationOf('SystemName');
    expect(siteName.parse(' <b>Gate</b>\r\nBcc: x ', 'SystemName')).toBe('bGate/b Bcc: x');
    expect(whitelist.parse(' a.com, ,b.com ', 'EmailDomainWhitelist')).toEqual(['a.com', 'b.com']);
  });
});
