import type { MantineColorSchemeManager } from '@mantine/core';
import { stored } from './storage.ts';

/** Stores Mantine's choice of light, dark or system (`public/theme.js` reads the same key). */
export function themeModeManager(): MantineColorSchemeManager {
  let unsubscribe = () => {};
  return {
    get: () => stored.themeMode.get(),
    set: (mode) => {
      // Mantine writes back each value that it is notified of; notifying it again would be a loop.
      if (stored.themeMode.get() !== mode) stored.themeMode.set(mode);
    },
    subscribe: (onUpdate) => {
      unsubscribe = stored.themeMode.subscribe(() => onUpdate(stored.themeMode.get()));
    },
    unsubscribe: () => unsubscribe(),
    clear: () => stored.themeMode.set(undefined),
  };
}
