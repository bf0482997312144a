import { texts } from '../../lib/i18n.ts';

export const reauthenticationText = texts({
  title: { zh: '验证身份', en: 'Confirm your identity' },
  factorBody: {
    zh: '此操作涉及密钥、资金或安全设置。验证后 15 分钟内不会再次询问。',
    en: 'This action concerns keys, money or security settings. Once confirmed, you are not asked again for 15 minutes.',
  },
  code: { zh: '验证码', en: 'Code' },
  codeHint: {
    zh: '身份验证器中的 6 位数字，或一个恢复代码',
    en: 'The 6-digit code from your authenticator app, or a recovery code',
  },
  recoveryHint: { zh: '您保存的一个恢复代码', en: 'One of your saved recovery codes' },
  password: { zh: '当前密码', en: 'Current password' },
  passkey: { zh: '使用通行密钥', en: 'Use a passkey' },
  required: { zh: '必填', en: 'Required' },
  confirm: { zh: '验证', en: 'Confirm' },
  cancel: { zh: '取消', en: 'Cancel' },
});
