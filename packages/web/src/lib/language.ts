import type { Words } from '@tollgate/contract';

/** The languages of the console; both are first languages. */
export type Language = keyof Words;

/** The tag for `Intl` and `<html lang>`. */
export const localeOf = (language: Language): string => (language === 'zh' ? 'zh-CN' : 'en-US');
