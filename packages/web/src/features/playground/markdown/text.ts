import { texts } from '../../../lib/i18n.ts';

export const text = texts({
  copyCode: { zh: '代码', en: 'code' },
  codeOf: { zh: '代码', en: 'Code' },
});
