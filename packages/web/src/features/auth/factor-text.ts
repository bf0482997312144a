import { texts } from '../../lib/i18n.ts';

export const factorText = texts({
  secondStepTitle: { zh: '两步验证', en: 'Two-step sign-in' },
  secondStepBody: {
    zh: '第一步已完成。请再用身份验证器、恢复代码或通行密钥验证身份。',
    en: 'The first step is done. Now confirm your identity with your authenticator app, a recovery code or a passkey.',
  },
  passkeySignIn: { zh: '使用通行密钥登录', en: 'Log in with a passkey' },
});
