export { createSettings, siteLanguage } from './settings.ts';
export { isSealedKey, optionPlace } from './state.ts';
export type { OptionStore, Settings } from './types.ts';
