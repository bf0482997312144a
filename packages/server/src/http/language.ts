import { namedLanguage } from '../lib/accept-language.ts';
import type { Language } from './context.ts';

/**
 * The language of a console answer: that of Accept-Language, Chinese when it names neither, because clients of this wire
 * match on the Chinese texts.
 */
export const readLanguage = (header: string | undefined): Language => namedLanguage(header) ?? 'zh';
