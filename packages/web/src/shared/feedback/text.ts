import { texts } from '../../lib/i18n.ts';

export const text = texts({ hide: { zh: '不再显示', en: 'Do not show again' } });
