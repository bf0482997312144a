import { texts } from '../../lib/i18n.ts';

export const text = texts({
  copy: { zh: '复制', en: 'Copy' },
  copyWhat: { zh: '复制{what}', en: 'Copy {what}' },
  show: { zh: '显示{what}', en: 'Show {what}' },
  hide: { zh: '隐藏{what}', en: 'Hide {what}' },
  copied: { zh: '已复制', en: 'Copied' },
  failedTitle: {
    zh: '无法复制到剪贴板，请手动复制',
    en: 'Unable to copy to clipboard, please copy manually',
  },
});
