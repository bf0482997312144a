export { createSettings } from './settings.ts';
export { optionPlace } from './state.ts';
export type { OptionStore, Settings, SettingsDeps, SettingsListener } from './types.ts';
