import { texts } from '../../../lib/i18n.ts';

export const text = texts({
  title: { zh: '两步验证与通行密钥', en: 'Two-step sign-in and passkeys' },
  hint: {
    zh: '设置后，仅凭密码无法登录；查看密钥、调整资金和安全设置前也会再次验证。',
    en: 'With either, the password alone is not enough to log in, and actions on keys, money and security ask again.',
  },
  required: {
    zh: '本站要求管理员启用两步验证。在您设置身份验证器或通行密钥之前，管理功能暂不可用。',
    en: 'This site requires two-step sign-in for administrators. You cannot use admin functions until you set up an authenticator app or a passkey.',
  },
  app: { zh: '身份验证器', en: 'Authenticator app' },
  appBody: {
    zh: '手机应用每 30 秒显示一个新的 6 位验证码。',
    en: 'An app on your phone shows a new 6-digit code every 30 seconds.',
  },
  on: { zh: '已启用', en: 'On' },
  off: { zh: '未启用', en: 'Off' },
  setUp: { zh: '设置身份验证器', en: 'Set up an app' },
  switchOff: { zh: '停用', en: 'Turn off' },
  switchOffTitle: { zh: '停用身份验证器？', en: 'Turn off the authenticator app?' },
  switchOffBody: {
    zh: '没有通行密钥时，之后仅凭密码即可登录，恢复代码也会失效。',
    en: 'Without a passkey, your password alone will be enough to log in, and your recovery codes stop working.',
  },
  switchedOff: { zh: '身份验证器已停用', en: 'The authenticator app is off' },

  scan: {
    zh: '用身份验证器应用扫描二维码，或手动输入密钥。',
    en: 'Scan this with your authenticator app, or enter the key.',
  },
  picture: { zh: '身份验证器二维码', en: 'QR code for the authenticator app' },
  secret: { zh: '密钥', en: 'Key' },
  code: { zh: '应用显示的验证码', en: 'Code shown by the app' },
  codeRequired: { zh: '请输入 6 位验证码', en: 'Enter the 6-digit code' },
  enable: { zh: '启用', en: 'Turn on' },
  enabled: { zh: '两步验证已启用', en: 'Two-step sign-in is on' },
  cancel: { zh: '取消', en: 'Cancel' },

  recovery: { zh: '恢复代码', en: 'Recovery codes' },
  recoveryLeft: { zh: '剩余 {count} 个', en: { one: '{count} left', other: '{count} left' } },
  recoveryBody: {
    zh: '设备丢失时可用来登录，每个只能使用一次。',
    en: 'Use them to log in if you lose your device. Each works once.',
  },
  renew: { zh: '重新生成', en: 'Regenerate' },
  renewTitle: { zh: '重新生成恢复代码？', en: 'Regenerate recovery codes?' },
  renewBody: { zh: '原有的恢复代码立即失效。', en: 'The old ones stop working at once.' },
  codesTitle: { zh: '请保存恢复代码', en: 'Save your recovery codes' },
  codesBody: {
    zh: '设备丢失时可用它们登录，每个只能使用一次。关闭后无法再次查看。',
    en: 'Use them to log in if you lose your device. Each works once. They are not shown again.',
  },
  copyAll: { zh: '复制全部', en: 'Copy all' },
  download: { zh: '下载', en: 'Download' },
  kept: { zh: '我已保存', en: 'I have saved them' },

  passkeys: { zh: '通行密钥', en: 'Passkeys' },
  passkeysBody: {
    zh: '用设备的指纹、面容或 PIN 登录，无需密码。',
    en: 'Log in with the fingerprint, face or PIN of a device, without a password.',
  },
  noBrowser: {
    zh: '此浏览器不支持通行密钥，或连接未加密。',
    en: 'This browser does not support passkeys, or the connection is not encrypted.',
  },
  noAddress: {
    zh: '本站的服务器地址未填写或不是 https 域名，无法使用通行密钥。',
    en: 'Passkeys need an https address of this site, with a domain, in the settings.',
  },
  add: { zh: '添加通行密钥', en: 'Add a passkey' },
  added: { zh: '通行密钥已添加', en: 'Passkey added' },
  name: { zh: '名称', en: 'Name' },
  nameHint: { zh: '便于日后识别，例如设备名称', en: 'To recognise it later, for example the device' },
  nameRequired: { zh: '请输入名称', en: 'Please enter a name' },
  rename: { zh: '重命名', en: 'Rename' },
  renameOf: { zh: '重命名通行密钥“{name}”', en: 'Rename the passkey “{name}”' },
  renamed: { zh: '已重命名', en: 'Passkey renamed' },
  remove: { zh: '删除', en: 'Delete' },
  removeOf: { zh: '删除通行密钥“{name}”', en: 'Delete the passkey “{name}”' },
  removeBody: {
    zh: '它将无法再登录此账户。请同时从设备中删除。',
    en: 'You can no longer log in with it. Delete it on the device as well.',
  },
  removed: { zh: '通行密钥已删除', en: 'Passkey deleted' },
  unnamed: { zh: '通行密钥', en: 'Passkey' },
  save: { zh: '保存', en: 'Save' },
  synced: { zh: '已同步', en: 'Synced' },
  since: { zh: '添加于', en: 'Added' },
  lastUsed: { zh: '最近使用', en: 'last used' },
  unused: { zh: '从未使用', en: 'never used' },
});
