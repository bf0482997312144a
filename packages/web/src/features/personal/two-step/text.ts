import { texts } from '../../../lib/i18n.ts';

export const text = texts({
  title: { zh: '两步验证与通行密钥', en: 'Two-step sign-in and passkeys' },
  hint: {
    zh: '设置后，仅凭密码无法登录；查看密钥、调整资金和安全设置前也会再次验证。',
    en: 'With either, the password alone opens nothing; and keys, money and security ask for it again.',
  },
  required: {
    zh: '本站要求管理员启用两步验证。在您设置身份验证器或通行密钥之前，管理功能暂不可用。',
    en: 'This site wants two-step sign-in of its administrators. Until you set up an app or a passkey, you can administer nothing.',
  },
  app: { zh: '身份验证器', en: 'Authenticator app' },
  appBody: {
    zh: '手机应用每 30 秒显示一个新的 6 位验证码。',
    en: 'An app on your phone shows a new code of six digits every 30 seconds.',
  },
  on: { zh: '已启用', en: 'On' },
  off: { zh: '未启用', en: 'Off' },
  setUp: { zh: '设置身份验证器', en: 'Set up an app' },
  switchOff: { zh: '停用', en: 'Switch off' },
  switchOffTitle: { zh: '停用身份验证器？', en: 'Switch the authenticator app off?' },
  switchOffBody: {
    zh: '没有通行密钥时，之后仅凭密码即可登录，恢复代码也会失效。',
    en: 'Without a passkey, the password alone signs you in from then on, and your recovery codes end.',
  },
  switchedOff: { zh: '身份验证器已停用', en: 'The authenticator app is off' },

  scan: {
    zh: '用身份验证器应用扫描二维码，或手动输入密钥。',
    en: 'Scan this with your authenticator app, or type the key.',
  },
  picture: { zh: '身份验证器二维码', en: 'QR code for the authenticator app' },
  secret: { zh: '密钥', en: 'Key' },
  code: { zh: '应用显示的验证码', en: 'Code that the app shows' },
  codeRequired: { zh: '请输入 6 位验证码', en: 'Enter the six digits' },
  enable: { zh: '启用', en: 'Switch on' },
  enabled: { zh: '两步验证已启用', en: 'Two-step sign-in is on' },
  cancel: { zh: '取消', en: 'Cancel' },

  recovery: { zh: '恢复代码', en: 'Recovery codes' },
  recoveryLeft: { zh: '剩余 {count} 个', en: { one: '{count} left', other: '{count} left' } },
  recoveryBody: {
    zh: '设备丢失时可用来登录，每个只能使用一次。',
    en: 'They let you in when your device is lost, once each.',
  },
  renew: { zh: '重新生成', en: 'Make new ones' },
  renewTitle: { zh: '重新生成恢复代码？', en: 'Make new recovery codes?' },
  renewBody: { zh: '原有的恢复代码立即失效。', en: 'The former ones end at once.' },
  codesTitle: { zh: '请保存恢复代码', en: 'Keep your recovery codes' },
  codesBody: {
    zh: '设备丢失时可用它们登录，每个只能使用一次。关闭后无法再次查看。',
    en: 'They let you in when your device is lost, once each. They are not shown again.',
  },
  copyAll: { zh: '复制全部', en: 'Copy all' },
  download: { zh: '下载', en: 'Download' },
  kept: { zh: '我已保存', en: 'I have kept them' },

  passkeys: { zh: '通行密钥', en: 'Passkeys' },
  passkeysBody: {
    zh: '用设备的指纹、面容或 PIN 登录，无需密码。',
    en: 'Log in with the fingerprint, face or PIN of a device, without a password.',
  },
  noBrowser: {
    zh: '此浏览器不支持通行密钥，或连接未加密。',
    en: 'This browser knows no passkeys, or the connection is not encrypted.',
  },
  noAddress: {
    zh: '管理员尚未填写服务器地址，无法使用通行密钥。',
    en: 'Passkeys need the address of this site, which the administrator has not entered.',
  },
  add: { zh: '添加通行密钥', en: 'Add a passkey' },
  added: { zh: '通行密钥已添加', en: 'The passkey is added' },
  name: { zh: '名称', en: 'Name' },
  nameHint: { zh: '便于日后识别，例如设备名称', en: 'To know it by later, such as the device' },
  nameRequired: { zh: '请输入名称', en: 'Please enter a name' },
  rename: { zh: '重命名', en: 'Rename' },
  renameOf: { zh: '重命名通行密钥“{name}”', en: 'Rename the passkey "{name}"' },
  renamed: { zh: '已重命名', en: 'The passkey has a new name' },
  remove: { zh: '删除', en: 'Delete' },
  removeOf: { zh: '删除通行密钥“{name}”', en: 'Delete the passkey "{name}"' },
  removeBody: {
    zh: '它将无法再登录此账户。请同时从设备中删除。',
    en: 'It no longer signs you in. Delete it on the device as well.',
  },
  removed: { zh: '通行密钥已删除', en: 'The passkey is deleted' },
  unnamed: { zh: '通行密钥', en: 'Passkey' },
  save: { zh: '保存', en: 'Save' },
  synced: { zh: '已同步', en: 'Synced' },
  since: { zh: '添加于', en: 'Added' },
  lastUsed: { zh: '最近使用', en: 'last used' },
  unused: { zh: '从未使用', en: 'never used' },
});
