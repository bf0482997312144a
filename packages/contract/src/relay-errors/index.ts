import type { Words } from '../words.ts';
import { bodyErrors } from './bodies.ts';
import { callerErrors } from './callers.ts';
import { channelErrors } from './channels.ts';
import type { Language, RelayErrorEntry } from './entry.ts';
import { fieldErrors } from './fields.ts';
import { batchErrors, videoErrors, taskErrors } from './tasks.ts';
import { gatewayErrors } from './gateway.ts';
import { moneyErrors } from './money.ts';
import { translationErrors } from './translation.ts';
import { upstreamErrors } from './upstreams.ts';

export { vertexKeyFaults } from './channels.ts';
export type { Blame, Language, RelayErrorEntry } from './entry.ts';
export { formFaults } from './forms.ts';
export { untranslatable } from './translation.ts';
export { anthropicErrorType, googleErrorStatus } from './wire-types.ts';

/**
 * All relay errors with texts of our own: name → status, blame, text in both languages. Errors of an upstream keep
 * their own text and are not here.
 */
export const relayErrors = {
  ...callerErrors,
  ...moneyErrors,
  ...channelErrors,
  ...bodyErrors,
  ...fieldErrors,
  ...translationErrors,
  ...batchErrors,
  ...videoErrors,
  ...taskErrors,
  ...upstreamErrors,
  ...gatewayErrors,
} as const satisfies Record<string, RelayErrorEntry>;

export type RelayErrorName = keyof typeof relayErrors;

/** Names of the placeholders in a text. */
type SlotsIn<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}`
  ? Slot | SlotsIn<Rest>
  : never;

/** A value in an error's text. A value in both languages is shown in the reader's language. */
export type RelayValue = string | number | Words;

/** Values for the placeholders of an error. */
export type RelayValues<Name extends RelayErrorName> = Readonly<
  Record<SlotsIn<(typeof relayErrors)[Name]['zh' | 'en']>, RelayValue>
>;

/** Fills the placeholders of texts in both languages. The result can be a value of another text. */
export const filledWords = (words: Words, values: Readonly<Record<string, RelayValue>>): Words => ({
  zh: fillIn(words.zh, values, 'zh'),
  en: fillIn(words.en, values, 'en'),
});

function fillIn(text: string, values: Readonly<Record<string, RelayValue>>, language: Language): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name];
    if (value === undefined) return slot;
    return typeof value === 'object' ? value[language] : String(value);
  });
}
