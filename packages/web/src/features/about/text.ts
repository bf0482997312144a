import { texts } from '../../lib/i18n.ts';

export const text = texts({
  page: { zh: '关于', en: 'About' },
  title: { zh: '关于 {name}', en: 'About {name}' },
  lead: {
    zh: '这是一个大模型接口网关：一个地址、一把令牌，按 Token 计费，账目精确到单次调用。',
    en: 'An AI model gateway: one address, one key, billing by the token, and exact records of every call.',
  },
  version: { zh: '版本', en: 'Version' },
  running: { zh: '启动于', en: 'Running since' },
  address: { zh: '接口地址', en: 'Base URL' },
  models: { zh: '查看模型价格', en: 'See models and prices' },
  start: { zh: '打开控制台', en: 'Open the console' },
});
