import { texts } from '../../lib/i18n.ts';

export const mailText = texts({
  email: { zh: '邮箱地址', en: 'E-mail address' },
  addressFirst: { zh: '请先输入邮箱地址', en: 'Enter your e-mail address first' },
  code: { zh: '验证码', en: 'Verification code' },
  sendCode: { zh: '获取验证码', en: 'Send code' },
  resendIn: { zh: '重试 ({seconds})', en: 'Resend in {seconds} s' },
  codeSent: {
    zh: '验证码发送成功，请检查您的邮箱！',
    en: 'The code was sent. Please check your inbox.',
  },
});
