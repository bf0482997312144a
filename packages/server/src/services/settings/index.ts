export { createSettings } from './settings.ts';
export type { OptionStore, Settings, SettingsDeps, SettingsListener } from './types.ts';
