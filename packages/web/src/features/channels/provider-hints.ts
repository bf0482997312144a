import { texts, type Text } from '../../lib/i18n.ts';

/**
 * What the registry says about keys and extra values of a provider, in both languages. A hint that is not here is a
 * format (`APIKey-AppId`) and needs no translation.
 */
const translations: readonly Text[] = Object.values(
  texts({
    sandboxKey: { zh: '任意文字，沙盒不需要密钥', en: 'any text; the sandbox asks for none' },
    azureVersion: {
      zh: 'API 版本，例如 2025-04-01-preview；留空使用默认版本',
      en: 'API version, e.g. 2025-04-01-preview; empty for the default',
    },
  }),
);

const byEnglish = new Map(translations.map((hint) => [hint.en, hint]));

/** A hint of the registry as a text of both languages. */
export const hintText = (hint: string): Text => byEnglish.get(hint) ?? { zh: hint, en: hint };
