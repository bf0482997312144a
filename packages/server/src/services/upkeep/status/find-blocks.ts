import { declarationOf, type SettingKey, settingKeys, type Words } from '@tollgate/contract';
import type { Settings } from '../../site/settings/index.ts';

interface BlockDeps {
  settings: Pick<Settings, 'get'>;
  /** Ids of the enabled sign-in providers. */
  openWays: () => readonly string[];
}

/** A setting that keeps people out or stops their payments. */
export interface Block {
  /** The setting that mends it. */
  key: SettingKey;
  reason: Words;
}

/** Only users who are bound to it sign in with Telegram. */
const signsUp = (way: string): boolean => way !== 'telegram';

/** Enabled toggles whose required settings are empty: saving one refuses that, emptying the others does not. */
function findUnmet(settings: Pick<Settings, 'get'>): Block[] {
  return settingKeys.flatMap((key): Block[] => {
    const { requires, label } = declarationOf(key);
    if (!requires || settings.get(key) !== true) return [];
    const empty = (requires.filled as readonly SettingKey[]).find((other) => isEmpty(settings.get(other)));
    if (empty === undefined) return [];
    const missing = declarationOf(empty).label;
    return [
      {
        key: empty,
        reason: {
          zh: `“${label.zh}”已开启，但“${missing.zh}”为空`,
          en: `“${label.en}” is on, but “${missing.en}” is empty`,
        },
      },
    ];
  });
}

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0);

/** Settings that block people at present, the widest effect first. */
export function findBlocks({ settings, openWays }: BlockDeps): Block[] {
  const ways = openWays();
  const byPassword = settings.get('PasswordLoginEnabled');
  const passwordSignUp = settings.get('PasswordRegisterEnabled');
  const rules: (Block & { when: boolean })[] = [
    {
      when: settings.get('DemoSiteEnabled'),
      key: 'DemoSiteEnabled',
      reason: {
        zh: '演示站点模式已开启：其他人不能修改任何内容',
        en: 'The demo mode is on: others cannot change anything',
      },
    },
    {
      when: !byPassword && ways.length === 0,
      key: 'PasswordLoginEnabled',
      reason: {
        zh: '密码登录已关闭，也没有其他登录方式：只有通行密钥可以登录',
        en: 'Passwords are off and no provider is on: only passkeys sign in',
      },
    },
    {
      when: !byPassword && ways.length > 0 && passwordSignUp && settings.get('RegisterEnabled'),
      key: 'PasswordRegisterEnabled',
      reason: {
        zh: '可以用密码注册，但不能用密码登录',
        en: 'People can sign up with a password, but not sign in with it',
      },
    },
    {
      when: !passwordSignUp && !ways.some(signsUp) && settings.get('RegisterEnabled'),
      key: 'PasswordRegisterEnabled',
      reason: {
        zh: '允许注册，但没有开启任何注册方式',
        en: 'Sign-up is allowed, but no method for it is on',
      },
    },
    {
      when:
        (['PayAddress', 'EpayId', 'EpayKey'] as const).every((key) => settings.get(key) !== '') &&
        settings.get('ServerAddress') === '' &&
        settings.get('CustomCallbackAddress') === '',
      key: 'ServerAddress',
      reason: {
        zh: '在线支付已开启，但没有服务器地址：付款无法开始',
        en: 'Online payment is on without a server address: no payment can start',
      },
    },
  ];
  return [
    ...rules.filter(({ when }) => when).map(({ key, reason }) => ({ key, reason })),
    ...findUnmet(settings),
  ];
}
