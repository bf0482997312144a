import { texts } from '../../lib/i18n.ts';

export const checkText = texts({
  humanCheck: { zh: '人机验证', en: 'Human check' },
  checkFailed: {
    zh: '人机验证加载失败，请刷新页面或检查网络',
    en: 'The human check could not be loaded. Reload the page or check your network',
  },
  checkPending: {
    zh: '请稍后几秒重试，Turnstile 正在检查用户环境！',
    en: 'Please try again in a few seconds: the human check is still running!',
  },
});
